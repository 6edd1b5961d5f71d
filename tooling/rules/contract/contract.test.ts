import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { repositoryRoot } from "../source/repository.ts";

test.each([
  ["the contract's committed snapshot", "packages/contract/tools/snapshot.ts", "The wire has changed"],
  [
    "the OpenAPI document of the staff's side",
    "packages/contract/tools/staff-openapi.ts",
    "The staff's calls have changed",
  ],
  [
    "the OpenAPI document of the integration port",
    "packages/contract/tools/integration-openapi.ts",
    "The calls of the operator's systems have changed",
  ],
  ["docs/settings.md", "packages/contract/tools/settings-page.ts", "Settings.json has changed"],
])("%s is that of the schemas", (_, tool, what) => {
  const check = spawnSync(process.execPath, [tool, "--check"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    timeout: 60_000,
  });
  const advice = `${what}: run \`npm run generate\`, look at the difference and commit it.`;
  expect(check.status, `${advice}\n${check.stdout}${check.stderr}`).toBe(0);
});
