CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE members (
  account TEXT PRIMARY KEY,
  tier INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;

CREATE TABLE sanctions (account TEXT PRIMARY KEY) STRICT;

-- Amounts are decimal text: a token's base units do not fit into 64 bits.
CREATE TABLE balances (account TEXT PRIMARY KEY, amount TEXT NOT NULL) STRICT;

CREATE TABLE wagers (
  chain_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  status TEXT,
  resolution_type INTEGER,
  creator TEXT,
  opponent TEXT,
  token TEXT,
  creator_stake TEXT,
  opponent_stake TEXT,
  winner TEXT,
  created_at INTEGER,
  resolved_at INTEGER,
  metadata_uri TEXT,
  metadata_hash TEXT,
  PRIMARY KEY (chain_id, id)
) STRICT;
CREATE INDEX wagers_by_creator ON wagers (creator, chain_id);
CREATE INDEX wagers_by_opponent ON wagers (opponent, chain_id);

CREATE TABLE fees (
  service TEXT PRIMARY KEY,
  bps INTEGER NOT NULL,
  cap_bps INTEGER NOT NULL
) STRICT;

-- What vendors say is kept as the JSON that they said.
CREATE TABLE markets (
  position INTEGER PRIMARY KEY,
  question TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE TABLE pairs (
  position INTEGER PRIMARY KEY,
  venue TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE TABLE news (
  slug TEXT NOT NULL,
  position INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (slug, position)
) STRICT;

-- What was issued, never the token itself.
CREATE TABLE tokens (
  key_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  scopes TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  label TEXT
) STRICT;
CREATE TABLE revocations (
  account TEXT NOT NULL,
  key_id TEXT NOT NULL,
  revoked_at INTEGER NOT NULL,
  PRIMARY KEY (account, key_id)
) STRICT;

-- The primary key is the protection against replays.
CREATE TABLE settlements (
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  number INTEGER NOT NULL UNIQUE,
  amount TEXT NOT NULL,
  operation TEXT NOT NULL,
  settled_at INTEGER NOT NULL,
  PRIMARY KEY (payer, nonce)
) STRICT;

CREATE TABLE intents (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  action TEXT NOT NULL,
  chain_id INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  received_at TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  header_names TEXT NOT NULL,
  status INTEGER NOT NULL,
  receipt TEXT
) STRICT;
CREATE TABLE payments (
  request INTEGER NOT NULL REFERENCES requests (number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  header TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (request, position)
) STRICT;
