/** A word the glossary gives to nothing of ours, and what to write instead. */
export interface BannedWord {
  /** The word's parts in lower case: `coinIn` is `coin in`. */
  word: string;
  instead: string;
  /** Only in these files; everywhere when absent. */
  where?: RegExp;
  /** Names in which the word is right: the wire's own, or another meaning. */
  except?: RegExp;
}

const money = /^packages\/ledger\/|^apps\/platform\/src\/modules\/(wallet|play|seats|history)\//;
const notHardware = /^packages\/(ledger|database)\/|^apps\/(web|platform)\//;

export const bannedWords: readonly BannedWord[] = [
  {
    word: "slot",
    instead: "machine (what the player picks), or the name of what it holds",
    except: /slot-?sessions?/i,
  },
  { word: "denom", instead: "denomination", where: /^(?!apps\/agent\/src\/drivers\/sas\/)/ },
  { word: "payment", instead: "transfer" },
  { word: "movement", instead: "transfer", where: money },
  { word: "booking", instead: "reservation" },
  { word: "freeze", instead: "hold (freeze is a fault of the picture)", where: money },
  { word: "authorise", instead: "hold", where: money },
  { word: "authorize", instead: "hold", where: money },
  { word: "buy in", instead: "cashIn" },
  { word: "top up", instead: "cashIn" },
  { word: "coin in", instead: "cashIn (coin-in is a meter of the machine)", where: notHardware },
  { word: "coin out", instead: "cashOut (coin-out is a meter of the machine)", where: notHardware },
  { word: "customer", instead: "player" },
  { word: "egm", instead: "machine", where: /^apps\/web\// },
  { word: "lag", instead: "delayMs, or stall" },
  { word: "mock", instead: "fake (a small stand-in of a test) or simulated (a complete one)" },
  { word: "stub", instead: "fake (a small stand-in of a test) or simulated (a complete one)" },
  { word: "util", instead: "the noun it is about" },
  { word: "utils", instead: "the noun it is about" },
  { word: "helper", instead: "the noun it is about" },
  { word: "helpers", instead: "the noun it is about" },
];

/** Names of folders and files that say nothing. */
export const emptyNames: readonly string[] = ["utils", "util", "helpers", "helper", "common", "misc", "lib", "stuff"];
