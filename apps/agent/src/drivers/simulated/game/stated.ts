import type { Paytable } from "@longarm/contract/about-machine";
import type { EgmStated } from "../../../ports/egm.ts";
import { linePrize } from "./evaluate.ts";
import type { Role } from "./rules.ts";
import {
  BONUS_PICKS,
  BONUS_PRIZES,
  BONUS_REELS,
  FREE_SPIN_FACTOR,
  FREE_SPINS,
  JACKPOTS,
  LINE_PRIZES,
  LINES,
  ROLES,
  ROWS,
  SCATTER_PRIZES,
} from "./rules.ts";
import type { Strip } from "./strips.ts";
import { stripsOf } from "./strips.ts";

type Name = { tr: string; en: string; ar: string };
const inAll = (letter: string): Name => ({ tr: letter, en: letter, ar: letter });

/** What players call the symbols that a brand's picture shows, in the order of `ROLES`. */
const NAMES: Readonly<Record<string, readonly [Name, Name, Name, Name, Name, Name, Name]>> = {
  nar: [
    { tr: "Nar", en: "Pomegranate", ar: "رمان" },
    { tr: "Yedi", en: "Seven", ar: "سبعة" },
    { tr: "Üzüm", en: "Grapes", ar: "عنب" },
    { tr: "İncir", en: "Fig", ar: "تين" },
    { tr: "Limon", en: "Lemon", ar: "ليمون" },
    { tr: "Yıldız", en: "Star", ar: "نجمة" },
    { tr: "Çan", en: "Bell", ar: "جرس" },
  ],
  kuzey: [
    { tr: "Kutup yıldızı", en: "Pole star", ar: "نجم القطب" },
    { tr: "Zirve", en: "Peak", ar: "قمة" },
    { tr: "Kar tanesi", en: "Snowflake", ar: "ندفة ثلج" },
    inAll("A"),
    inAll("K"),
    { tr: "Ay", en: "Moon", ar: "قمر" },
    { tr: "Fener", en: "Lantern", ar: "فانوس" },
  ],
  pera: [
    { tr: "Yelpaze", en: "Fan", ar: "مروحة" },
    { tr: "Lale", en: "Tulip", ar: "زنبقة" },
    inAll("A"),
    inAll("K"),
    inAll("Q"),
    { tr: "Saat", en: "Clock", ar: "ساعة" },
    { tr: "Tramvay", en: "Tram", ar: "ترام" },
  ],
  mercan: [
    { tr: "Balık", en: "Fish", ar: "سمكة" },
    { tr: "Deniz kabuğu", en: "Shell", ar: "صدفة" },
    { tr: "Denizyıldızı", en: "Starfish", ar: "نجم البحر" },
    inAll("J"),
    inAll("Q"),
    { tr: "İnci", en: "Pearl", ar: "لؤلؤة" },
    { tr: "Resif", en: "Reef", ar: "شعاب" },
  ],
};

/** Prizes begin at three of a kind. */
const LEAST_COUNT = 3;

/** Everything a game of this brand pays, from the rules that pay it: nothing here is written a second time. */
export function statedOf(brand: string): EgmStated {
  const nameOf = (role: Role): Name => NAMES[brand]?.[ROLES.indexOf(role)] ?? inAll(role);
  const onLines = Object.entries(LINE_PRIZES).map(([role, prizes]) => ({
    name: nameOf(role as Role),
    on: "line" as const,
    ...(role === "top" && { wild: true }),
    prizes: prizes.map((times, index) => ({ count: LEAST_COUNT + index, times })),
  }));
  const scatter = {
    name: nameOf("scatter"),
    on: "anywhere" as const,
    prizes: SCATTER_PRIZES.map((times, index) => ({
      count: LEAST_COUNT + index,
      times,
      ...(FREE_SPINS[index] !== undefined && { freeSpins: FREE_SPINS[index] }),
    })),
  };
  const picks = BONUS_PRIZES.map(({ prize }) => prize);
  const paytable: Paytable = {
    rows: ROWS,
    lines: LINES.map((line) => [...line]),
    symbols: [...onLines, scatter],
    freeSpinFactor: FREE_SPIN_FACTOR,
    bonus: {
      name: nameOf("bonus"),
      reels: BONUS_REELS.map((reel) => reel + 1),
      picks: BONUS_PICKS,
      least: Math.min(...picks),
      most: Math.max(...picks),
    },
  };
  const returnPercent = Math.round(returnsOf(stripsOf(brand)).total * 10_000) / 100;
  return { model: "Longarm Simulator", paytable, returnPercent };
}

/** Return to player by its parts, as shares of the stake. */
type Returns = {
  lines: number;
  scatters: number;
  freeSpins: number;
  bonus: number;
  jackpots: number;
  total: number;
};

/** Expected line prize in line stakes: every line sees one independent stop of each reel, so all lines are alike. */
function lineExpectation(strips: readonly Strip[]): number {
  const chances = strips.map((strip) =>
    ROLES.map((role) => strip.filter((symbol) => symbol === role).length / strip.length),
  );
  let sum = 0;
  const walk = (symbols: Role[], chance: number): void => {
    if (symbols.length === strips.length) {
      sum += chance * linePrize(symbols).prize;
      return;
    }
    for (const [index, role] of ROLES.entries()) {
      const p = chances[symbols.length]?.[index] ?? 0;
      if (p > 0) walk([...symbols, role], chance * p);
    }
  };
  walk([], 1);
  return sum;
}

/** Chance that a reel's window shows the symbol, counted over all its stops. */
function shown(strip: Strip, role: Role): number {
  const hits = strip.filter((_, stop) =>
    Array.from({ length: ROWS }, (__, row) => strip[(stop + row) % strip.length]).includes(role),
  );
  return hits.length / strip.length;
}

/** Chances of 0 to 5 reels that show a scatter. */
function scatterChances(strips: readonly Strip[]): number[] {
  let chances = [1];
  for (const strip of strips) {
    const p = shown(strip, "scatter");
    chances = Array.from(
      { length: chances.length + 1 },
      (_, n) => (chances[n] ?? 0) * (1 - p) + (chances[n - 1] ?? 0) * p,
    );
  }
  return chances;
}

/** The exact long-run return of the game on these strips: no simulation, every combination counted. */
export function returnsOf(strips: readonly Strip[]): Returns {
  const lineUnits = lineExpectation(strips);
  const lines = lineUnits;
  const counts = scatterChances(strips);
  const over = (values: readonly number[]): number =>
    values.reduce((sum, value, n) => sum + value * (counts[n + 3] ?? 0), 0);
  const scatters = over(SCATTER_PRIZES);
  const freeSpins = over(FREE_SPINS) * FREE_SPIN_FACTOR * (lines + scatters);
  const weight = BONUS_PRIZES.reduce((sum, entry) => sum + entry.weight, 0);
  const pick = BONUS_PRIZES.reduce((sum, entry) => sum + (entry.prize * entry.weight) / weight, 0);
  const bonus =
    BONUS_REELS.reduce((chance, reel) => chance * shown(strips[reel] ?? [], "bonus"), 1) * BONUS_PICKS * pick;
  const jackpots = JACKPOTS.reduce((sum, jackpot) => sum + jackpot.shareBp / 10_000 + jackpot.start / jackpot.oneIn, 0);
  return { lines, scatters, freeSpins, bonus, jackpots, total: lines + scatters + freeSpins + bonus + jackpots };
}
