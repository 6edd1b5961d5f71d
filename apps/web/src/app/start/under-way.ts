/** A token check that is under way. */
type CheckAsked = { readonly href: string; readonly token: string; readonly answer: Promise<Response> };

/** What `browser-check.js` did before the page's script was there; nothing of it where it did not run (`npm run dev`). */
export type UnderWay = {
  /** The token that it took out of the address. */
  readonly arrivedWith?: string | null;
  /** The answer for Settings.json. */
  readonly settings?: Promise<Response>;
  /** Undefined, or a failure: nothing was asked. */
  readonly check?: Promise<CheckAsked | undefined>;
  /** Begins with the fonts of nearly every text: without the page's script nothing is drawn, so they come after it. */
  readonly fetchFonts?: () => void;
};

export const underWayIn = (page: object): UnderWay => (page as { longarmUnderWay?: UnderWay }).longarmUnderWay ?? {};

/** `fetch`, but for one call: what is under way to the same address with the same token is its answer. */
export function orUnderWay(fetch: typeof globalThis.fetch, { check }: UnderWay): typeof globalThis.fetch {
  if (check === undefined) return fetch;
  return async (input, init) => {
    const asked = await check.catch(() => undefined);
    const token = new Headers(init?.headers).get("authorization");
    const isSame = asked !== undefined && String(input) === asked.href && token === `Bearer ${asked.token}`;
    return isSame ? await asked.answer : await fetch(input, init);
  };
}
