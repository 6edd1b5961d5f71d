import { readFileSync, writeFileSync } from "node:fs";
import { integrationOpenApi } from "../src/integration-openapi.ts";
import { breakingChanges } from "./breaking-changes.ts";

/**
 * The OpenAPI document of the integration port: `--write` renews it, `--check` fails when the committed one is old. Both refuse a change that breaks
 * callers of the committed one, unless the version of the calls has risen.
 */
const file = new URL("../integration-openapi.snapshot.json", import.meta.url);

type Document = Record<string, unknown> & { readonly info: { readonly version: string } };

const now = integrationOpenApi() as Document;
const text = `${JSON.stringify(now, null, "\t")}\n`;

function committed(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const before = committed();
const old = before === undefined ? undefined : (JSON.parse(before) as Document);
const breaks = old === undefined || old.info.version !== now.info.version ? [] : breakingChanges(old, now);
if (breaks.length > 0) {
  const list = breaks.map((one) => `- ${one}`).join("\n");
  process.stderr.write(
    `This breaks systems of operators that call the integration port:\n${list}\nKeep what they use, or raise INTEGRATION_VERSION, which gives the calls a new base, and serve both for a time.\n`,
  );
  process.exitCode = 1;
} else if (process.argv.includes("--write")) writeFileSync(file, text);
else if (before !== text) {
  process.stderr.write("The calls of the integration port changed without their document.\n");
  process.exitCode = 1;
}
