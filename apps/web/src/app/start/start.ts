import type { Language, Settings } from "@longarm/contract/settings";
import { defaultSettings, LANGUAGES, parseSettings } from "@longarm/contract/settings";
import type { Area, LoadCatalogue } from "@longarm/ui/i18n/texts.ts";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { createMessages } from "@longarm/ui/messages.ts";
import { createApiClient } from "../../shared/api/client.ts";
import { createAppearance } from "../../shared/appearance/appearance.ts";
import type { AuthSession } from "../../shared/auth/auth-session.ts";
import { createAuthSession } from "../../shared/auth/auth-session.ts";
import { isExpired, isSendable, readToken, SignInAnswer } from "../../shared/auth/player.ts";
import { overText } from "../../shared/i18n/problem-text.ts";
import type { Log } from "../../shared/log/log.ts";
import { addressesOf } from "../../shared/settings/addresses.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App, Surroundings } from "../app.ts";
import { followAccount } from "../appearance.ts";
import type { UnderWay } from "./early-requests.ts";
import { orListUnderWay, orUnderWay } from "./early-requests.ts";
import { autoLogout, needCodes, signInWithToken } from "./sign-in.ts";

/** What every page is drawn with, the login screen too. */
const FIRST_AREAS = ["app", "auth"] as const satisfies readonly Area[];

export type StartDeps = Surroundings & {
  /** The page's address, its token already taken out. */
  readonly page: URL;
  /** The token that came in the address. */
  readonly arrivedWith: string | null;
  /** The code of a link that came in it. */
  readonly once?: string | null;
  /** What the browser's user reads, the first choice first (`navigator.languages`). */
  readonly browserLanguages?: readonly string[];
  readonly loadCatalogue: LoadCatalogue;
  /** Areas that the page will likely need after the first ones: they travel with those. */
  readonly likelyAreas?: readonly Area[];
  /** The requests that were sent before this script ran. */
  readonly underWay?: UnderWay;
  /** Settings and texts are there; the token check counts when it is done: the address gate and the lock wait here. */
  readonly onReady: (app: App) => void | Promise<void>;
  /** The platform said that this sign-in is locked. */
  readonly onLocked?: () => void;
};

/** Settings, then texts and, without gate and lock, the token check: what must be known before the first screen. */
export async function startUp(deps: StartDeps): Promise<App> {
  const auth = createAuthSession(deps.storage);
  if (deps.arrivedWith !== null) auth.keep(deps.arrivedWith);
  const kept = keptLanguage(deps.storage.read(STORAGE_KEYS.language));
  // The likely texts travel beside the settings; a miss only costs their few kB.
  const { underWay = {}, storage, likelyAreas = [] } = deps;
  for (const area of [...FIRST_AREAS, ...likelyAreas]) deps.loadCatalogue(kept ?? "tr", area).catch(() => undefined);
  const { settings: early } = underWay;
  const settings = await loadSettings(early === undefined ? deps.fetch : () => early, deps.log);
  const isHeldUp = settings.ipCheck || settings.pinCheck || storage.read(STORAGE_KEYS.lock) !== null;
  const browsers = settings.languageOfBrowser ? languageAmong(deps.browserLanguages ?? []) : undefined;
  const texts = createTexts(kept ?? browsers ?? settings.language, deps.loadCatalogue, FIRST_AREAS);
  const check = isHeldUp || deps.once ? undefined : checkAhead(deps, settings, auth);
  const app = assemble(deps, settings, await texts, auth);
  const drawn = followAccount(app);
  await deps.onReady(app);
  // Loaded for the few who come so.
  const isIn = deps.once ? await (await import("../account/passkey-door.ts")).signInWithLink(app, deps.once) : false;
  if (!isIn) await signInWithToken(app, check);
  await drawn();
  return app;
}

/** Asks for the token check while the texts are still on their way: what it says counts later. */
function checkAhead(
  { underWay = {}, page, clock, onLocked, ...deps }: StartDeps,
  settings: Settings,
  auth: AuthSession,
) {
  const token = auth.token();
  if (token === null || isExpired(readToken(token), clock.now()) || !isSendable(token)) return undefined;
  const { api: base } = addressesOf(settings, page);
  const fetch = orUnderWay(deps.fetch, underWay);
  // The code that reads the answer reports a refusal.
  const api = createApiClient({ base, token: () => token, fetch, onLocked, onUnauthorised: () => {} });
  return { token, answer: api.read("validate", {}, SignInAnswer) };
}

function assemble(deps: StartDeps, settings: Settings, texts: App["texts"], auth: AuthSession): App {
  const { fetch, storage, clock, timers, random, newId, log } = deps;
  const messages = createMessages();
  const addresses = addressesOf(settings, deps.page);
  const api = createApiClient({
    base: addresses.api,
    token: auth.token,
    fetch: orListUnderWay(fetch, deps.underWay ?? {}, settings.updateLobby * 1_000),
    onLocked: deps.onLocked,
    words: () => needCodes({ texts, timers }),
    onUnauthorised(failure) {
      // The first 401 ends it; at the later ones the player is already signed out.
      if (auth.token() === null && auth.state.getState().is === "guest") return;
      autoLogout({ auth, messages }, overText(texts.speech.getState(), failure));
    },
  });
  const surroundings = { fetch, storage, clock, timers, random, newId, log };
  const appearance = createAppearance(settings);
  return { ...surroundings, settings, addresses, api, auth, texts, messages, appearance, seen: new Map() };
}

function keptLanguage(kept: string | null): Language | undefined {
  return LANGUAGES.find((language) => language === kept);
}

/** The first of these that Longarm speaks: "en-GB" is English. */
function languageAmong(tags: readonly string[]): Language | undefined {
  for (const tag of tags) {
    const language = keptLanguage(tag.toLowerCase().split("-")[0] ?? "");
    if (language !== undefined) return language;
  }
  return undefined;
}

/** How long the start waits for Settings.json before it goes on with the defaults, ms. */
const SETTINGS_MS_MAX = 4_000;

/** The operator's settings over the defaults. Never fails: what is wrong is logged, key by key, and the default holds. */
async function loadSettings(fetchFile: typeof fetch, log: Log): Promise<Settings> {
  try {
    const response = await fetchFile("/Settings.json", {
      cache: "no-cache",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(SETTINGS_MS_MAX),
    });
    if (!response.ok) throw new Error(`Settings.json was answered with ${response.status}`);
    const { settings, problems } = parseSettings(await response.json());
    for (const { key, problem } of problems) log(`Settings.json: "${key}" is not taken, its default holds. ${problem}`);
    return settings;
  } catch (error) {
    log("Settings.json could not be loaded, the defaults hold.", error);
    return defaultSettings();
  }
}
