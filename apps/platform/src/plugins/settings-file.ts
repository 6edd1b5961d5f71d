import { readFile, stat } from "node:fs/promises";
import type { Settings } from "@longarm/contract/settings";
import { defaultSettings, parseSettings, settingFields } from "@longarm/contract/settings";
import type { VenueSettings } from "@longarm/contract/venue-settings";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";

/** A larger file is no settings file. */
const BYTES_MAX = 262_144;
/** How often the file is looked at for a change, ms. */
const LOOK_MS = 5_000;

export interface SettingsFile {
  /** Hosts that the settings name now. */
  hosts(): ContentHosts;
  /** What holds now: the operator's keys over the defaults. */
  now(): object;
  /** What Settings.json says over the defaults, without what the venue has set. */
  ofFile(): Settings;
  /** Whether the list of help organisations has an entry. While the file cannot be used: whether it had one. */
  helpListed(): boolean;
  /** Whom a player may turn to with a verdict. */
  independentBodies(): Settings["independentBodies"];
  /** After how long without activity the platform locks a sign-in, ms; 0: the PIN check is off. */
  idleLockMs(): number;
  /** Reads the file again when it has changed. */
  look(): Promise<void>;
  close(): void;
}

export type SettingsParts = {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the venue has set in the console: it holds over the file. Absent: there is no such thing. */
  readonly venue?: { now(): VenueSettings; onChange(handler: () => void): void };
  /** Told what the settings were and are, after the first look. */
  changed?(before: object, after: object): void;
};

/**
 * Serves `/Settings.json`. An operator's file is checked key by key: a bad key is named in the log and replaced by its default,
 * and garbage gives the defaults, so that a typing mistake never takes the house down. A change is seen within seconds. What the venue has set in the
 * console holds over the file, key by key.
 */
export async function serveSettings(
  app: FastifyInstance,
  { file, clock, log, changed, venue }: SettingsParts,
): Promise<SettingsFile> {
  let mark = "";
  let given: object = {};
  let ofFile = defaultSettings();
  let body = JSON.stringify(ofFile);
  let hosts = contentHosts(ofFile);
  let idleLockMs = 0;
  let helpListed = false;
  let independentBodies: Settings["independentBodies"] = [];
  /** The list of help organisations is not usable: what was known of it stays, because an empty one ends play in some markets. */
  let isHelpUnread = false;
  let looked = false;

  /** Makes what is served of the file and of what the venue has set. */
  function compose(): void {
    const settings: Settings = { ...ofFile, ...pageKeys(venue?.now() ?? {}) };
    const before = body;
    body = written(given, settings, file, log);
    hosts = contentHosts(settings);
    if (!isHelpUnread) helpListed = settings.helpList.length > 0;
    independentBodies = settings.independentBodies;
    idleLockMs = settings.pinCheck ? settings.idleLockMs : 0;
    if (looked && body !== before) changed?.(JSON.parse(before), JSON.parse(body));
  }

  async function look(): Promise<void> {
    const found = await stat(file).catch(() => undefined);
    const now = found === undefined ? "absent" : `${found.mtimeMs} ${found.size}`;
    if (now === mark) return;
    mark = now;
    const read = found === undefined ? {} : await readGiven(file, found.size, log);
    const { settings, problems } = parseSettings(read === undefined ? {} : read);
    for (const { key, problem } of problems) {
      log.error(
        { file, key, problem },
        `Settings.json: ${key === "" ? "the file" : `"${key}"`} is not usable, the default holds`,
      );
    }
    given = read === undefined || problems.some(({ key }) => key === "") ? {} : read;
    ofFile = settings;
    isHelpUnread = read === undefined || problems.some(({ key }) => key === "" || key === "helpList");
    compose();
    looked = true;
  }

  await look();
  venue?.onChange(compose);
  const stop = clock.every(
    LOOK_MS,
    () => void look().catch((error: unknown) => log.error({ err: error }, "Settings.json could not be read")),
  );
  app.get("/Settings.json", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("application/json; charset=utf-8").send(body),
  );
  return {
    hosts: () => hosts,
    helpListed: () => helpListed,
    independentBodies: () => independentBodies,
    idleLockMs: () => idleLockMs,
    now: () => JSON.parse(body),
    ofFile: () => ofFile,
    look,
    close: stop,
  };
}

/** Those of the venue's settings that the page reads. */
function pageKeys(settings: VenueSettings): Partial<Settings> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => Object.hasOwn(settingFields, key)));
}

/** Keys of an operator's own are served as they are, unless they are nested deeper than can be written. */
function written(given: object, settings: Settings, file: string, log: Log): string {
  try {
    return JSON.stringify({ ...given, ...settings });
  } catch (error) {
    log.error({ file, problem: String(error) }, "Settings.json: keys of your own cannot be served, the others hold");
    return JSON.stringify(settings);
  }
}

/** What the file says; undefined: it could not be read, and the log says why. */
async function readGiven(file: string, size: number, log: Log): Promise<object | undefined> {
  if (size > BYTES_MAX) {
    log.error({ file, size }, `Settings.json is larger than ${BYTES_MAX} bytes, the defaults hold`);
    return undefined;
  }
  try {
    const text = await readFile(file, "utf8");
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    log.error(
      { file, problem: String(error) },
      "Settings.json is not JSON, the defaults hold: check it with a JSON checker",
    );
    return undefined;
  }
}

/** Hosts beside our own that pages may talk to, by kind. */
export type ContentHosts = {
  readonly connect: readonly string[];
  readonly script: readonly string[];
  readonly style: readonly string[];
  readonly font: readonly string[];
  readonly image: readonly string[];
  readonly frame: readonly string[];
};

/** What each known chat provider needs. Source: the providers' own notes on content policies; docs/operating.md tells operators. */
const CHAT_HOSTS: Readonly<Record<Settings["chat"]["provider"], readonly string[]>> = {
  none: [],
  tawk: ["https://*.tawk.to", "wss://*.tawk.to"],
  jivo: ["https://*.jivosite.com", "wss://*.jivosite.com", "https://*.jivochat.com", "wss://*.jivochat.com"],
};

/** The hosts that an operator's settings name: API, calls of their own place, sockets, chat. Relative addresses add none. */
export function contentHosts(settings: Settings): ContentHosts {
  const chat = settings.chat.id === "" ? [] : CHAT_HOSTS[settings.chat.provider];
  const chatPages = chat.filter((host) => host.startsWith("https:"));
  // Without a chat nobody asks for its fallback.
  const fallback = settings.chat.provider === "none" ? [] : originOf(settings.chat.fallbackScript, ["https:"]);
  const api = [settings.apiUrl, settings.templateApiUrl].flatMap((address) => originOf(address, ["http:", "https:"]));
  const calls = [settings.passwordPath, settings.sessionsPath, settings.transactionsPath].flatMap((path) =>
    originOf(path, ["http:", "https:"]),
  );
  const sockets = [settings.notificationUrl, settings.gameUrl].flatMap((address) =>
    originOf(address, ["ws:", "wss:", "http:", "https:"]),
  );
  return {
    connect: [...api, ...calls, ...sockets.map(asSocket), ...chat],
    script: [...chatPages, ...fallback],
    // Chat widgets write their own style elements; none of them takes a nonce.
    style: chat.length === 0 ? [] : ["'unsafe-inline'", ...chatPages],
    font: chatPages,
    image: [...api, ...chatPages],
    frame: chatPages,
  };
}

/** The origin of an absolute address, as a policy writes it; nothing for a relative or strange one. */
export function originOf(address: string, schemes: readonly string[]): string[] {
  const read = URL.parse(address);
  if (read === null || !schemes.includes(read.protocol) || !/^[A-Za-z0-9.[\]:-]+$/.test(read.host)) return [];
  return [`${read.protocol}//${read.host}`];
}

function asSocket(origin: string): string {
  return origin.replace(/^http/, "ws");
}
