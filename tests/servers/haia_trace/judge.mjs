// Answers each line of a file with what V8 makes of it: `parse` a JSON text, or `compare` two values.
import { readFileSync } from "node:fs";

const [, , question, path] = process.argv;
const lines = readFileSync(path).toString("latin1").split("\n").slice(0, -1);
for (const line of lines) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(line, "latin1"));
  let answer = "!";
  try {
    const value = JSON.parse(text);
    if (question === "parse") {
      answer = Buffer.from(JSON.stringify(value, null, 2)).toString("hex");
    } else {
      const [a, b] = value.map((each) => (each === "undefined" ? undefined : each));
      answer = `${a < b ? -1 : a > b ? 1 : 0} ${Number(a)}`;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  console.log(answer);
}
