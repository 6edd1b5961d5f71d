import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { repositoryRoot } from "../source/repository.ts";

test("the contract's committed snapshot is that of its schemas", () => {
  const check = spawnSync(process.execPath, ["packages/contract/tools/snapshot.ts", "--check"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    timeout: 60_000,
  });
  const advice = "The wire has changed: run `npm run generate`, look at the difference and commit it.";
  expect(check.status, `${advice}\n${check.stdout}${check.stderr}`).toBe(0);
});
