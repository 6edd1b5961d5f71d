import { cpus, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import { metersInPicture } from "../../rig/page/machine-frame.ts";
import type { BrowserPlayer } from "./browser-player.ts";
import type { Trouble } from "./injected-faults.ts";
import type { Look, ScreenWatch } from "./screen.ts";

export type ObserverDeps = {
  readonly trouble: Trouble;
  readonly isRunning: () => boolean;
  /** Called with each change of the screen. */
  readonly trace: (line: string) => void;
  /** Called with each fault. */
  readonly fault: (player: BrowserPlayer, sentence: string, look: Look | undefined) => Promise<void>;
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

/** Looks at one player's screen four times a second and reports what is wrong with it. */
export async function observe(player: BrowserPlayer, deps: ObserverDeps): Promise<{ looks: number }> {
  const judge = createJudge();
  const glass = createGlassCheck(player);
  let page = player.page();
  let looks = 0;
  let read = 0;
  let hangs = false;
  let glassAt = 0;
  let said = "";
  while (deps.isRunning()) {
    await pause(EVERY_MS);
    if (page !== player.page()) {
      page = player.page();
      judge.newPage();
    }
    const patience = patienceNow();
    const look = await lookAt(player, ANSWER_MS * Math.min(patience, PAGE_PATIENCE_MAX), HANGS_MS * patience);
    const calmMs = deps.trouble.calmMs(player.name);
    if (look === "hangs" && !hangs) await deps.fault(player, "the page answers nothing", undefined);
    hangs = look === "hangs";
    if (typeof look === "object" && page === player.page()) {
      looks += 1;
      const says = saying(look);
      if (says !== said) deps.trace(says);
      said = says;
      const faults = judge.see({ look, at: performance.now(), calmMs, patience });
      if (performance.now() - glassAt > GLASS_EVERY_MS) {
        glassAt = performance.now();
        faults.push(...(await glass(look, calmMs)));
      }
      for (const sentence of faults) await deps.fault(player, sentence, look);
    }
    for (; read < player.errors.length; read += 1) {
      const text = player.errors[read] ?? "";
      deps.trace(`the console says: ${text.replaceAll(/\s+/g, " ").slice(0, 600)}`);
      if (OF_THE_NETWORK.test(text) && calmMs < NETWORK_MS * patience) continue;
      await deps.fault(player, `the console says: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`, undefined);
    }
  }
  return { looks };
}

/** What the screen shows its player, in one line. */
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
  const shown = Object.entries({ ...now, variant }).filter(([, value]) => value !== null && value !== undefined);
  const words = [...dialogs.map((text) => `dialog "${text.slice(0, 60)}"`), ...messages.map((text) => `"${text}"`)];
  return [path, ...shown.map(([name, value]) => `${name}=${value}`), ...words].join(" ");
}

/** Undefined while the page is on its way to another address. */
async function lookAt(player: BrowserPlayer, answerMs: number, limitMs: number): Promise<Look | "hangs" | undefined> {
  const answered = player
    .page()
    .evaluate(
      (options) => (globalThis as unknown as { longarmScreen?: Partial<ScreenWatch> }).longarmScreen?.look?.(options),
      {
        answerMs,
        brokenTitle: player.app["brokenTitle"] ?? "",
      },
    )
    .catch(() => undefined);
  return await Promise.race([answered, pause(limitMs, "hangs" as const, { ref: false })]);
}

/** Compares the credit that the page shows with the one on the machine's own glass, as the pictures show it. */
function createGlassCheck(player: BrowserPlayer): (look: Look, calmMs: number) => Promise<string[]> {
  let differs = 0;
  return async ({ game, variant }, calmMs) => {
    const rests = game?.phase === "playing" && !game.turning && game.live && game.online && game.missing === null;
    if (!rests || variant !== null || game.credit === null || calmMs < GLASS_EVERY_MS) return [];
    const { credit } = await metersInPicture(player.page()).catch(() => ({ credit: null }));
    if (credit === null) return [];
    differs = credit === game.credit ? 0 : differs + 1;
    return differs === GLASS_TIMES ? [`the page shows ${game.credit} as credit, the glass ${credit}`] : [];
  };
}

type Seen = {
  readonly look: Look;
  /** Ms of a clock that only goes forward. */
  readonly at: number;
  /** For how long nothing has been broken on purpose around this player, ms; 0 while something is. */
  readonly calmMs: number;
  /** How much slower than usual the computer is; limits are that much longer. 1 or more. */
  readonly patience: number;
};

/** Finds what one player's screen must not show, over repeated looks. Each fault is reported once while it lasts. */
export type Judge = {
  see(seen: Seen): string[];
  /** Another page takes the place of the one that was seen. */
  newPage(): void;
};

/** What a page sees by itself waits for no other program. */
const PAGE_PATIENCE_MAX = 2;

type Holding = { since: number; reported: boolean };

export function createJudge(rules: readonly Rule[] = RULES): Judge {
  let before: Look | undefined;
  let holding = new Map<Rule, Holding>();
  return {
    see({ look, at, calmMs, patience }) {
      const faults = look.unanswered.map((state) => `a press on SPIN (${state}) had no answer`);
      for (const rule of rules) {
        if (!rule.holds(look, before)) {
          holding.delete(rule);
          continue;
        }
        const held = holding.get(rule) ?? { since: at, reported: false };
        holding.set(rule, held);
        const heldMs = rule.always ? at - held.since : Math.min(at - held.since, calmMs);
        const slow = rule.always ? Math.min(patience, PAGE_PATIENCE_MAX) : patience;
        if (held.reported || heldMs <= rule.limitMs * slow) continue;
        held.reported = true;
        faults.push(rule.name);
      }
      before = look;
      return faults;
    },
    newPage() {
      before = undefined;
      holding = new Map();
    },
  };
}

/** What must not last. `limitMs` is for a computer that keeps up. */
type Rule = {
  readonly name: string;
  readonly limitMs: number;
  /** Counts also while something is broken on purpose: the screen must be right about it. */
  readonly always: boolean;
  /** Whether it holds now; `before`: the look before this one on the same page. */
  readonly holds: (look: Look, before: Look | undefined) => boolean;
};

const LOCKUPS: ReadonlySet<string> = new Set(LOCKUP_REASONS);
const SECOND = 1_000;

const lasts = (name: string, seconds: number, holds: Rule["holds"]): Rule => {
  return { name, limitMs: seconds * SECOND, always: false, holds };
};
const never = (name: string, seconds: number, holds: Rule["holds"]): Rule => {
  return { name, limitMs: seconds * SECOND, always: true, holds };
};
const missing = (is: string, seconds: number): Rule =>
  lasts(`the line "${is}" stays`, seconds, ({ game }) => game?.missing === is);

/** The game is on and the screen names nothing that is in its way. */
function plays({ game, variant }: Look): boolean {
  return game?.phase === "playing" && game.live && game.online && game.missing === null && variant === null;
}

const RULES: readonly Rule[] = [
  never("the page shows nothing at all", 4, ({ speaks }) => !speaks),
  never("the picture is frozen and nothing says why", 3, (look, before) => {
    return plays(look) && look.game?.held !== true && look.frames === before?.frames;
  }),
  never("the game's page is broken", 2, ({ broken }) => {
    return broken;
  }),
  lasts("a game's address without its screen", 15, ({ path, game, dialogs }) => {
    return path.startsWith("/game/") && game === null && dialogs.length === 0;
  }),
  lasts("the lobby shows no machine", 15, ({ path, cards, variant }) => {
    return path === "/lobby" && cards === 0 && variant === null;
  }),
  missing("loading", 20),
  missing("leaving", 30),
  missing("checking", 40),
  missing("connectionLost", 20),
  missing("machineAway", 20),
  missing("pictureLost", 20),
  missing("poorLink", 30),
  lasts("a lock stays without a reason", 15, ({ game }) => LOCKUPS.has(game?.missing ?? "")),
  lasts(
    "the reels turn for ever",
    25,
    (look) => plays(look) && look.game?.turning === true && look.game.doing === null,
  ),
  lasts("a feature never ends", 180, (look) => plays(look) && look.game?.doing !== null && look.game?.turning === true),
  lasts("a countdown never ends", 100, ({ game }) => game !== null && game.countdown !== null),
  never("SPIN is dead and nothing says why", 5, (look) => plays(look) && look.game?.spinDisabled === true),
  never("SPIN says locked, the screen names no lock", 3, (look) => plays(look) && look.game?.spin === "locked"),
  never("the screen names a lock, SPIN does not", 3, ({ game }) => {
    return (
      LOCKUPS.has(game?.missing ?? "") && game?.online === true && !["locked", "offline"].includes(game.spin ?? "")
    );
  }),
  never("the picture is said to be away and moves", 4, (look, before) => {
    return look.game?.missing === "pictureLost" && before !== undefined && look.frames > before.frames + 1;
  }),
  never("the link is called good and too poor to play", 4, ({ game }) => {
    return game?.quality === "good" && (game.missing === "poorLink" || game.spin === "unfair");
  }),
  never("the link is called lost while the game plays", 10, (look, before) => {
    return plays(look) && look.game?.quality === "lost" && before !== undefined && look.frames > before.frames;
  }),
  never("the picture is away and its link is called good", 5, ({ game }) => {
    return game !== null && !game.live && ["good", "fair"].includes(game.quality ?? "");
  }),
  lasts("the live connection of the lobby is away", 25, ({ path, messages }) => {
    return path.startsWith("/lobby") && messages.some((text) => text.includes("Network Error"));
  }),
];
