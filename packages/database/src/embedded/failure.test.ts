import { expect, test } from "vitest";
import { EmbeddedPostgresError, explained, explainFailure } from "./failure.ts";

test.each([
  ['initdb: error: could not write to file "pg_wal/xlogtemp.7": No space left on device', "is full: free some space"],
  ["ENOSPC: no space left on device, write", "is full: free some space"],
  ['FATAL:  could not write lock file "postmaster.pid": No space left on device', "is full: free some space"],
  ["EROFS: read-only file system, mkdir '/data'", "read-only file system"],
  ["EACCES: permission denied, mkdir '/data'", "may not use /data"],
  ['FATAL:  data directory "/data" has wrong ownership', "may not use /data"],
  ["EEXIST: file already exists, mkdir '/data'", "is not a folder that can be used"],
  ["FATAL:  could not map anonymous shared memory: Cannot allocate memory", "too little memory"],
  ["initdb: error: could not look up effective user ID 4711: user does not exist", "no name in /etc/passwd"],
  ["FATAL:  could not create any TCP/IP sockets", "is in use"],
])("%s", (output, sentence) => {
  const error = explainFailure("a step", "/data", `some\nlines\n${output}\n`);
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  expect(error.message).toContain(sentence);
  // What the program said stays readable after our sentence.
  expect(error.message).toContain(output);
});

test("passes an unknown failure on as it is, and explains no error twice", async () => {
  expect(explainFailure("start", "/data", "PANIC: odd").message).toBe(
    "The database in /data could not be started (start): PANIC: odd",
  );
  const own = new EmbeddedPostgresError("permission denied, we know");
  await expect(explained("start", "/data", () => Promise.reject(own))).rejects.toBe(own);
});
