import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { settingTexts } from "../src/setting-texts.ts";
import type { SettingField } from "../src/settings.ts";
import { settingFields } from "../src/settings.ts";

/** Makes docs/settings.md from the schema of Settings.json: `--write` renews it, `--check` fails when the committed one is old. */
const file = new URL("../../../docs/settings.md", import.meta.url);

type Shape = {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape;
  anyOf?: Shape[];
};

const HEAD = `# Settings.json
One JSON object beside the page, at \`/Settings.json\`; the platform serves the file that \`SETTINGS_FILE\` names (\`docs/operating/settings.md\`). Every key may be left
out. Objects are merged over their defaults; a list replaces the default's. A value that is not accepted is reported in the browser's console with its key, and its default
holds; unknown keys are left alone. A file that is missing, is no JSON or does not come within 4 s: the page starts with all defaults and logs why.

Amounts are whole currency units (500 is ₺500), times are milliseconds unless a key says otherwise. The file is read by browsers: keep no secret in it.
This page is made from the schema by \`npm run generate\`.

| key | value | default | what it does |
| --- | --- | --- | --- |
`;

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

/** What a value may be, in words. */
function words(shape: Shape): string {
  if (shape.enum) return shape.enum.map((one) => code(JSON.stringify(one))).join(", ");
  if (shape.anyOf) return shape.anyOf.map(words).join(", or ");
  if (shape.type === "array") return `list of ${words(shape.items ?? {})}`;
  if (shape.properties) {
    const parts = Object.entries(shape.properties).map(([key, part]) => `${code(key)}: ${words(part)}`);
    return `object: ${parts.join("; ")}`;
  }
  if (shape.type === "object") return `object of ${words(shape.additionalProperties ?? {})}`;
  if (shape.type === "boolean") return "true or false";
  if (shape.type === "number" || shape.type === "integer") return `number${range(shape)}`;
  if (shape.pattern) return `text like ${code(shape.pattern)}`;
  return shape.maxLength === undefined ? "text" : `text of at most ${shape.maxLength} characters`;
}

function range({ minimum, maximum }: Shape): string {
  if (minimum === undefined && maximum === undefined) return "";
  return ` from ${minimum ?? "any"} to ${maximum ?? "any"}`;
}

function line(key: keyof typeof settingTexts, { schema, fallback }: SettingField): string {
  const shape = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" }) as Shape;
  return `| ${code(key)} | ${words(shape)} | ${code(JSON.stringify(fallback))} | ${settingTexts[key].replaceAll("|", "\\|")} |`;
}

function settingsPage(): string {
  const lines = Object.entries(settingFields).map(([key, setting]) =>
    line(key as keyof typeof settingTexts, setting as SettingField),
  );
  return `${HEAD}${lines.join("\n")}\n`;
}

function committed(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

if (process.argv.includes("--write")) writeFileSync(file, settingsPage());
if (process.argv.includes("--check") && committed() !== settingsPage()) {
  process.stderr.write("docs/settings.md is not that of the schema. Run `npm run generate` and commit it.\n");
  process.exitCode = 1;
}
