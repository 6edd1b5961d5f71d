import * as z from "zod/mini";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, lineOf, listOf, page, Reason, When } from "./staff-call.ts";

const Number_ = z.int().check(z.gte(0), z.lte(1_000_000_000));
const Content = z.record(z.string(), z.unknown());

/** One setting that a change touches. `before` and `after` are what holds; null: what the server says. */
export const SettingChange = z.object({ key: z.string(), before: z.unknown(), after: z.unknown() });
export type SettingChange = z.infer<typeof SettingChange>;

/** A version of the venue's settings. Versions are only added; each has the hash of the one before. */
export const SettingsVersion = z.object({
  number: z.int(),
  at: When,
  by: z.string(),
  /** The second person; null: none was needed. */
  signedBy: z.nullable(z.string()),
  reason: z.string(),
  /** It has the content of this older version. */
  rolledBackTo: z.nullable(z.int()),
  changes: z.array(SettingChange),
  hash: z.string(),
  /** Whether this and every version before it are what was saved. */
  proven: z.boolean(),
  /** Whether this program can use it. */
  usable: z.boolean(),
});
export type SettingsVersion = z.infer<typeof SettingsVersion>;

/** What is set on the server: shown, never changed here. */
export const ServerSetting = z.object({
  name: z.string(),
  /** Null: it is set, and may be secret. */
  value: z.nullable(z.string()),
  isSet: z.boolean(),
});
export type ServerSetting = z.infer<typeof ServerSetting>;

export const SettingsNow = z.object({
  /** Of the newest version; 0: none was saved. */
  number: z.int(),
  /** The version that holds on this node. Another than `number`: the newest one cannot be used, or the node has not seen it yet. */
  holds: z.int(),
  /** What the venue has set. */
  content: Content,
  /** What holds where the venue has set nothing, by key: Settings.json and the environment. */
  base: Content,
  /** Of Settings.json, not for the venue to change. */
  file: z.array(ServerSetting),
  environment: z.array(ServerSetting),
  asOf: When,
});
export type SettingsNow = z.infer<typeof SettingsNow>;

/** What was saved, or would be. */
export const SettingsSaved = z.object({
  number: z.int(),
  changes: z.array(SettingChange),
  /** Keys of it that need a second person. */
  twoPeople: z.array(z.string()),
});
export type SettingsSaved = z.infer<typeof SettingsSaved>;

/** The venue's settings and their versions. */
export const settingsCalls = {
  settings: { method: "GET", path: "settings", answer: SettingsNow, for: "settings.see" },
  /** Newest first. */
  settingsVersions: {
    method: "GET",
    path: "settings/versions",
    query: z.strictObject(page),
    answer: listOf(SettingsVersion),
    for: "settings.see",
  },
  /** Saves a new version: what is named is changed, everything else stays. A dry run says what it would change. */
  changeSettings: {
    method: "POST",
    path: "settings",
    body: actBody({
      /** The newest version as the person saw it. */
      expected: Number_,
      /** By key; null: what the server says holds again. */
      changes: z.record(lineOf(60), z.unknown()),
      reason: Reason,
    }),
    answer: actAnswer(SettingsSaved),
    for: "settings.change",
    stepUp: true,
  },
  /** Saves a new version with the content of an old one; 0: nothing is set. */
  rollBackSettings: {
    method: "POST",
    path: "settings/roll-back",
    body: actBody({ expected: Number_, to: Number_, reason: Reason }),
    answer: actAnswer(SettingsSaved),
    for: "settings.change",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
