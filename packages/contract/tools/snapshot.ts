import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { contractParts } from "../src/parts.ts";

/** Prints the wire's shape as one JSON file: `--write` renews it, `--check` fails when the committed one is old. */
const file = new URL("../contract.snapshot.json", import.meta.url);

function shapeOf(value: unknown): unknown {
  if (value instanceof z.core.$ZodType) {
    return z.toJSONSchema(value, { io: "input", unrepresentable: "any", reused: "inline" });
  }
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, part]) => typeof part !== "function")
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, part]) => [key, shapeOf(part)]),
    );
  }
  return value;
}

export function contractSnapshot(): string {
  return `${JSON.stringify(shapeOf(contractParts), null, "\t")}\n`;
}

function committed(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

if (process.argv.includes("--write")) writeFileSync(file, contractSnapshot());
if (process.argv.includes("--check") && committed() !== contractSnapshot()) {
  process.stderr.write(
    "The contract changed without its snapshot. Look at the change, then run `npm run generate` and commit contract.snapshot.json.\n",
  );
  process.exitCode = 1;
}
