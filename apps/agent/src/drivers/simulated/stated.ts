import type { Paytable } from "@longarm/contract/about-machine";
import { returnsOf } from "@longarm/reels/game/returns";
import type { Role } from "@longarm/reels/game/rules";
import {
  BONUS_PICKS,
  BONUS_PRIZES,
  BONUS_REELS,
  FREE_SPIN_FACTOR,
  FREE_SPINS,
  LINE_PRIZES,
  LINES,
  ROLES,
  ROWS,
  SCATTER_PRIZES,
} from "@longarm/reels/game/rules";
import { stripsOf } from "@longarm/reels/game/strips";
import type { EgmStated } from "../../ports/egm.ts";

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
