import { defaultSettings } from "@longarm/contract/settings";
import type { SettingsSaved } from "@longarm/contract/staff-settings";
import { HIDDEN_KEYS, readVersion, SERVER_KEYS, VENUE_KEYS } from "@longarm/contract/venue-settings";
import * as z from "zod/mini";
import type { Config } from "../../../config.ts";
import type { SettingsFile } from "../../../plugins/settings-file.ts";
import type { LiveSettings } from "../../records/settings/index.ts";
import { firstBreak, listVersions, newestVersion } from "../../records/settings/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { PreparedSettings, WantedSettings } from "../desk/index.ts";
import { prepareSettings, saveSettings } from "../desk/index.ts";
import type { After, StaffCaller, Waits } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, DeskDeps, Executes } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** Settings as they hold on this node, and what holds without the venue's. */
export type SettingsParts = { readonly live: LiveSettings; readonly file: Pick<SettingsFile, "ofFile"> };

/** What holds where the venue has set nothing, by key. */
function baseOf(
  { file }: Pick<SettingsParts, "file">,
  { limitsOfServer }: Pick<Config, "limitsOfServer">,
): Record<string, unknown> {
  const all: Record<string, unknown> = { ...file.ofFile(), ...limitsOfServer };
  return Object.fromEntries(VENUE_KEYS.map((key) => [key, all[key]]));
}

/** The venue's settings: what holds, versions, a change, the way back. */
export function settingsHandlers(deps: DeskDeps, parts: SettingsParts, config: Config): Handlers {
  const { db, source } = deps;
  return {
    settings: async () => {
      const newest = await newestVersion(source);
      const { asOf } = await listed(db, []);
      return {
        number: newest?.number ?? 0,
        holds: parts.live.number(),
        content: newest?.content ?? {},
        base: baseOf(parts, config),
        file: serverKeys(parts),
        environment: [...config.server],
        asOf,
      };
    },
    settingsVersions: async ({ query: { after, limit } }) => {
      const below = after === undefined ? undefined : Number(after);
      if (below !== undefined && !(Number.isSafeInteger(below) && below > 0 && below < 2 ** 31))
        throw new Refused("request.invalid", { where: "after" });
      const found = await listVersions(source, { below, limit });
      const broken = (await firstBreak(source)) ?? Number.POSITIVE_INFINITY;
      const rows = found.map(({ content, at, ...row }) => ({
        ...row,
        at: at.toISOString(),
        proven: row.number < broken,
        usable: readVersion(content).problems.length === 0,
      }));
      const last = rows.at(-1)?.number ?? 1;
      return await listed(db, rows, rows.length === limit && last > 1 ? String(last) : null);
    },
    ...settingsActs(deps),
  };
}

/** A change of the venue's settings, and the way back. */
export const settingsActs = (deps: ActsDeps) =>
  ({
    changeSettings: ({ act, caller, body: { expected, changes, reason } }) =>
      doAct(deps, act(), (trx, after) => save(deps, { trx, after, caller: caller(), reason }, { expected, changes })),
    rollBackSettings: ({ act, caller, body: { expected, to, reason } }) =>
      doAct(deps, act(), (trx, after) => save(deps, { trx, after, caller: caller(), reason }, { expected, to })),
  }) satisfies Handlers;

/** Keys of Settings.json that stay the server's, with what they say where that is no secret. */
function serverKeys({ file }: SettingsParts) {
  const now = file.ofFile();
  const usual = defaultSettings();
  return SERVER_KEYS.map((name) => {
    const text = JSON.stringify(now[name]);
    const value = typeof now[name] === "string" ? now[name] : text;
    return {
      name,
      value: HIDDEN_KEYS.includes(name) ? null : value.slice(0, 500),
      isSet: text !== JSON.stringify(usual[name]),
    };
  });
}

type Saving = {
  readonly trx: StaffTransaction;
  readonly after: After;
  readonly caller: StaffCaller;
  readonly reason: string;
};

/** Saves a version now, or writes down what a second administrator must sign. */
async function save(
  deps: ActsDeps,
  { trx, after, caller, reason }: Saving,
  wanted: WantedSettings,
): Promise<z.input<typeof SettingsSaved> | Waits> {
  const prepared = await prepareSettings(wholeOf(trx), wanted);
  const would = {
    number: prepared.expected + 1,
    changes: [...prepared.changes],
    twoPeople: [...prepared.twoPeople],
  };
  if (deps.secondPerson && prepared.twoPeople.length > 0)
    return await requestApproval(trx, deps.random, caller, {
      kind: "settings.change",
      subject: `settings:${prepared.expected + 1}`,
      reason,
      content: contentOf(prepared),
      evidence: prepared.changes.map(({ key, before, after: becomes }) => ({
        label: key,
        value: `${said(before)} → ${said(becomes)}`,
      })),
      would,
    });
  await saveSettings(wholeOf(trx), prepared, { by: caller.username, signedBy: null, reason });
  notifyNodes(deps, after, would.number);
  return would;
}

const SAID_MAX = 300;
const said = (value: unknown): string => {
  const text = value === null ? "–" : JSON.stringify(value);
  return text.length > SAID_MAX ? `${text.slice(0, SAID_MAX)}…` : text;
};

/** Once it is committed, every node reads it. */
const notifyNodes = ({ bus }: ActsDeps, after: After, number: number): void =>
  void after.push(async () => bus.publish("settings.changed", { number }));

/** What an approval of `settings.change` holds. */
const ApprovedSettings = z.strictObject({
  expected: z.int(),
  rolledBackTo: z.nullable(z.int()),
  content: z.record(z.string(), z.unknown()),
});
const contentOf = ({ expected, rolledBackTo, content }: PreparedSettings): z.output<typeof ApprovedSettings> => ({
  expected,
  rolledBackTo,
  content: { ...content },
});

/** What a second signature does. */
export const settingsExecutes = (deps: ActsDeps): Executes => ({
  "settings.change": async (trx, given, { requestedBy, signedBy, reason, after }) => {
    const approved = z.parse(ApprovedSettings, given);
    if (readVersion(approved.content).problems.length > 0) throw new Refused("approval.changed");
    const names = await trx
      .selectFrom("staff")
      .select(["id", "username"])
      .where("id", "in", [requestedBy, signedBy])
      .execute();
    const nameOf = (id: string) => names.find((one) => one.id === id)?.username ?? id;
    // Another version is there by now: what was requested is about one that holds no more.
    if (((await newestVersion(wholeOf(trx)))?.number ?? 0) !== approved.expected) throw new Refused("approval.changed");
    const by = { by: nameOf(requestedBy), signedBy: nameOf(signedBy), reason };
    notifyNodes(deps, after, await saveSettings(wholeOf(trx), approved, by));
  },
});
