import type { Area } from "@longarm/ui/i18n/texts.ts";
import type { Log } from "../../shared/log/log.ts";
import { paths } from "../../shared/paths/paths.ts";

/** A call that is under way. `age`: ms since it was sent. */
type Sent = {
  readonly href: string;
  readonly token: string;
  readonly answer: Promise<Response>;
  readonly age: () => number;
};

/** What `browser-check.js` did before the page's script was there; nothing of it where it did not run (`npm run dev`). */
export type UnderWay = {
  /** The token that it took out of the address. */
  readonly arrivedWith?: string | null;
  /** The answer for Settings.json. */
  readonly settings?: Promise<Response>;
  /** Undefined, or a failure: nothing was requested. */
  readonly check?: Promise<Sent | undefined>;
  /** The lobby's lists and the balance, requested once the platform knew the token; none where it did not, or where the player is locked. */
  readonly lists?: Promise<readonly Sent[]>;
  /** Begins with the fonts of nearly every text: without the page's script nothing is drawn, so they come after it. */
  readonly fetchFonts?: () => void;
};

export const underWayIn = (page: object): UnderWay => (page as { longarmUnderWay?: UnderWay }).longarmUnderWay ?? {};

/** `fetch`, but for one call: what is under way to the same address with the same token is its answer. */
export function orUnderWay(fetch: typeof globalThis.fetch, { check }: UnderWay): typeof globalThis.fetch {
  if (check === undefined) return fetch;
  return async (input, init) => {
    const sent = await check.catch(() => undefined);
    const token = new Headers(init?.headers).get("authorization");
    const isSame = sent !== undefined && String(input) === sent.href && token === `Bearer ${sent.token}`;
    return isSame ? await sent.answer : await fetch(input, init);
  };
}

/** The calls that are sent early, once the token is known. */
const AHEAD = /\/(?:machine\/(?:all|brands)|player\/balance)$/;

/**
 * `fetch`, but the first requests for the lobby's lists and the balance get the answers that are under way, unless these failed or are older
 * than the lobby lets a list become. The notification socket sends the balance again when it opens.
 */
export function orListUnderWay(
  fetch: typeof globalThis.fetch,
  { lists }: UnderWay,
  ageMax: number,
): typeof globalThis.fetch {
  if (lists === undefined) return fetch;
  const left = lists.then(
    (all) => new Map(all.map((sent) => [sent.href, sent])),
    () => new Map<string, Sent>(),
  );
  return async (input, init) => {
    const href = String(input);
    if (!AHEAD.test(href)) return await fetch(input, init);
    const sent = (await left).get(href);
    (await left).delete(href);
    const token = new Headers(init?.headers).get("authorization");
    const isSame = sent !== undefined && token === `Bearer ${sent.token}` && sent.age() < ageMax;
    const answer = isSame ? await sent.answer.catch(() => undefined) : undefined;
    return answer?.ok ? answer : await fetch(input, init);
  };
}

/**
 * What the page at this address will be drawn with, loaded while settings and token check are still on their way: it would be requested
 * for only after them, one thing after the other. `browser-check.js` guesses alike and had its files fetched before this script was there.
 * A guess that was wrong costs some kB, one that fails is asked for again. Answers the texts that will be needed, too.
 */
export function fetchAhead(path: string, hasToken: boolean, log: Log): readonly Area[] {
  // Other addresses are opened by links and from the page itself.
  if (path !== paths.start && path !== paths.login && !path.startsWith(paths.lobby)) return [];
  // After the texts, which the first drawing needs: the caller requests those.
  Promise.resolve()
    .then(() => Promise.all(hasToken ? lobbyParts() : loginParts()))
    .catch((error: unknown) => log("A part could not be fetched ahead.", error));
  return hasToken ? ["shell", "wallet", "claims", "lobby"] : [];
}

const lobbyParts = (): Promise<unknown>[] => [
  import("../player/player-link.ts"),
  import("../routes/shell.tsx"),
  import("../routes/lobby.tsx"),
];

const loginParts = (): Promise<unknown>[] => [import("../routes/login.tsx")];

/** Calls `act` once, at the first sign of a person at the page. */
export function atFirstInput(
  page: Pick<EventTarget, "addEventListener" | "removeEventListener">,
  act: () => void,
): void {
  const kinds = ["pointermove", "pointerdown", "keydown"];
  const once = (): void => {
    for (const kind of kinds) page.removeEventListener(kind, once);
    act();
  };
  for (const kind of kinds) page.addEventListener(kind, once, { passive: true });
}
