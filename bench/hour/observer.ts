import { cpus, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { metersInPicture } from "../../e2e/page/machine-picture.ts";
import type { Trouble } from "./house/trouble.ts";
import { createJudge, PAGE_PATIENCE_MAX } from "./judge/judge.ts";
import type { Look } from "./judge/look.ts";
import type { HourWatch } from "./page/watch-page.ts";
import type { Person } from "./people/person.ts";

export type ObserverDeps = {
  readonly trouble: Trouble;
  readonly goesOn: () => boolean;
  /** Told whenever the screen says something else. */
  readonly trace: (line: string) => void;
  /** Tells a fault. */
  readonly fault: (person: Person, sentence: string, look: Look | undefined) => Promise<void>;
};

const EVERY_MS = 250;
const ANSWER_MS = 2_000;
const HANGS_MS = 8_000;
const GLASS_EVERY_MS = 5_000;
/** So many times in a row the glass must differ from the page before that counts. */
const GLASS_TIMES = 3;
/** A line in the console is of the network when something was broken so shortly before, ms. */
const NETWORK_MS = 30_000;
const OF_THE_NETWORK = /WebSocket connection to|Failed to load resource|ERR_|net::|fetch/i;

/** How much slower than a computer of its own this one is, by what waits for its cores. */
export const patienceNow = (): number => Math.min(6, Math.max(1, (loadavg()[0] ?? 0) / cpus().length / 1.5));

/** Looks at one person's screen four times a second and tells what is wrong with it. */
export async function observe(person: Person, deps: ObserverDeps): Promise<{ looks: number }> {
  const judge = createJudge();
  const glass = createGlassCheck(person);
  let page = person.page();
  let looks = 0;
  let read = 0;
  let hangs = false;
  let glassAt = 0;
  let said = "";
  while (deps.goesOn()) {
    await pause(EVERY_MS);
    if (page !== person.page()) {
      page = person.page();
      judge.newPage();
    }
    const patience = patienceNow();
    const look = await lookAt(person, ANSWER_MS * Math.min(patience, PAGE_PATIENCE_MAX), HANGS_MS * patience);
    const calmMs = deps.trouble.calmMs(person.name);
    if (look === "hangs" && !hangs) await deps.fault(person, "the page answers nothing", undefined);
    hangs = look === "hangs";
    if (typeof look === "object" && page === person.page()) {
      looks += 1;
      const says = saying(look);
      if (says !== said) deps.trace(says);
      said = says;
      const faults = judge.see({ look, at: performance.now(), calmMs, patience });
      if (performance.now() - glassAt > GLASS_EVERY_MS) {
        glassAt = performance.now();
        faults.push(...(await glass(look, calmMs)));
      }
      for (const sentence of faults) await deps.fault(person, sentence, look);
    }
    for (; read < person.errors.length; read += 1) {
      const text = person.errors[read] ?? "";
      deps.trace(`the console says: ${text.replaceAll(/\s+/g, " ").slice(0, 600)}`);
      if (OF_THE_NETWORK.test(text) && calmMs < NETWORK_MS * patience) continue;
      await deps.fault(person, `the console says: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`, undefined);
    }
  }
  return { looks };
}

/** What the screen tells its player, in one line. */
function saying({ path, game, variant, dialogs, messages }: Look): string {
  const { phase, missing = null, missingWords, doing, countdown, spin, quality } = game ?? {};
  const now = {
    phase,
    missing: missing === null ? null : `${missing} (${missingWords})`,
    doing,
    countdown,
    spin,
    quality,
  };
  const told = Object.entries({ ...now, variant }).filter(([, value]) => value !== null && value !== undefined);
  const words = [...dialogs.map((text) => `dialog "${text.slice(0, 60)}"`), ...messages.map((text) => `"${text}"`)];
  return [path, ...told.map(([name, value]) => `${name}=${value}`), ...words].join(" ");
}

/** Undefined while the page is on its way to another address. */
async function lookAt(person: Person, answerMs: number, limitMs: number): Promise<Look | "hangs" | undefined> {
  const asked = person
    .page()
    .evaluate((asked) => (globalThis as unknown as { longarmHour?: Partial<HourWatch> }).longarmHour?.look?.(asked), {
      answerMs,
      brokenTitle: person.app["brokenTitle"] ?? "",
    })
    .catch(() => undefined);
  return await Promise.race([asked, pause(limitMs, "hangs" as const, { ref: false })]);
}

/** Compares the credit that the page tells with the one on the machine's own glass, as the pictures show it. */
function createGlassCheck(person: Person): (look: Look, calmMs: number) => Promise<string[]> {
  let differs = 0;
  return async ({ game, variant }, calmMs) => {
    const rests = game?.phase === "playing" && !game.turning && game.live && game.online && game.missing === null;
    if (!rests || variant !== null || game.credit === null || calmMs < GLASS_EVERY_MS) return [];
    const { credit } = await metersInPicture(person.page()).catch(() => ({ credit: null }));
    if (credit === null) return [];
    differs = credit === game.credit ? 0 : differs + 1;
    return differs === GLASS_TIMES ? [`the page tells ${game.credit} as credit, the glass ${credit}`] : [];
  };
}
