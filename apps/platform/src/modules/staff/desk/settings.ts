import type { SettingChange } from "@longarm/contract/staff-settings";
import type { VenueKey } from "@longarm/contract/venue-settings";
import { readChanges, readVersion, SETTINGS_BYTES_MAX, TWO_PERSON_KEYS } from "@longarm/contract/venue-settings";
import type { Kysely } from "kysely";
import { addVersion, changesBetween, newestVersion, versionContent } from "../../records/settings/index.ts";
import { Refused } from "../sign-in/index.ts";

/** What a person wants of the settings: some changed, or the content of an old version. */
export type WantedSettings =
  | { readonly expected: number; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly expected: number; readonly to: number };

/** A version that was checked and is not saved yet. */
export type PreparedSettings = {
  readonly expected: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly rolledBackTo: number | null;
  /** Exactly what differs; null: the venue has not set it. */
  readonly changes: readonly SettingChange[];
  /** Keys of it that need a second person. */
  readonly twoPeople: readonly string[];
};

/**
 * Checks what a person wants by the schema, against the newest version.
 * @throws Refused `settings.changed`: it is another than they saw; `settings.invalid`: a setting is wrong, or nothing would change.
 */
export async function prepareSettings(db: Kysely<unknown>, wanted: WantedSettings): Promise<PreparedSettings> {
  const newest = await newestVersion(db);
  const { expected } = wanted;
  if ((newest?.number ?? 0) !== expected) throw new Refused("settings.changed");
  const before = newest?.content ?? {};
  const content = "to" in wanted ? await contentOf(db, wanted.to) : changed(before, wanted.changes);
  if (Buffer.byteLength(JSON.stringify(content)) > SETTINGS_BYTES_MAX)
    throw new Refused("settings.invalid", { where: `more than ${SETTINGS_BYTES_MAX} bytes` });
  const changes = changesBetween(before, content);
  if (changes.length === 0) throw new Refused("settings.invalid", { where: "nothing would change" });
  return {
    expected,
    content,
    rolledBackTo: "to" in wanted ? wanted.to : null,
    changes,
    twoPeople: changes.map(({ key }) => key).filter((key) => TWO_PERSON_KEYS.has(key as VenueKey)),
  };
}

/** The newest content with the changes; keys of a newer program stay. */
function changed(before: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>) {
  const { taken, problems } = readChanges(changes);
  refuseProblems(problems);
  const merged = { ...before, ...taken };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

async function contentOf(db: Kysely<unknown>, number: number): Promise<Readonly<Record<string, unknown>>> {
  const content = await versionContent(db, number);
  if (content === undefined) throw new Refused("thing.unknown", { kind: "version" });
  // What was good once need not be good for this program.
  refuseProblems(readVersion(content).problems);
  return content;
}

function refuseProblems(problems: readonly { readonly key: string; readonly problem: string }[]): void {
  if (problems.length === 0) return;
  const where = problems.map(({ key, problem }) => `${key} ${problem}`.trim()).join("; ");
  throw new Refused("settings.invalid", { where: where.slice(0, 500) });
}

/** Saves a version that was prepared. @returns its number. @throws Refused `settings.changed`: somebody else was faster. */
export async function saveSettings(
  trx: Kysely<unknown>,
  { expected, content, rolledBackTo }: Pick<PreparedSettings, "expected" | "content" | "rolledBackTo">,
  { by, signedBy, reason }: { readonly by: string; readonly signedBy: string | null; readonly reason: string },
): Promise<number> {
  const number = await addVersion(trx, { after: expected, content, rolledBackTo, by, signedBy, reason });
  if (number === undefined) throw new Refused("settings.changed");
  return number;
}
