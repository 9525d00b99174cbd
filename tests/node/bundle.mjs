// Prints how a host starts a bundle, by the packer's own library.
// Arguments: the manifest, the folder that it is unpacked in, what the user filled in as JSON.
import { readFileSync } from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";

const [manifest, extensionPath, filled] = process.argv.slice(2);
const config = await getMcpConfigForManifest({
  manifest: JSON.parse(readFileSync(manifest, "utf8")),
  extensionPath,
  systemDirs: {},
  userConfig: JSON.parse(filled),
  pathSeparator: "/",
});
console.log(JSON.stringify(config ?? null));
