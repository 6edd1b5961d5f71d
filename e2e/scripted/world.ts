import type { LobbyMachine } from "@longarm/contract/lobby-lists";

/** What the scripted back end says: a small casino that changes only when a test changes it. */
export type World = {
  settings: Record<string, unknown>;
  /** The token's claims. */
  player: Record<string, unknown>;
  /** What login and token check answer beside the token. */
  signIn: Record<string, unknown>;
  balance: { balance: number; onMachine?: number; pending?: number };
  brands: unknown[];
  machines: LobbyMachine[];
  session: Record<string, unknown> | undefined;
  /** Other hosts that the content policy lets the page reach, as the platform's does for those of the settings. */
  hosts: string[];
};

const NAMES = [
  "Nar 07",
  "Kuzey 02",
  "Mercan 04",
  "Pera 01",
  "Nar 03",
  "Kuzey 05",
  "Mercan 01",
  "Pera 06",
  "Pera 09",
  "Nar 11",
  "Kuzey 08",
  "Mercan 02",
];
const STATUSES = [3, 1, 1, 3, 1, 3, 4, 1, 0, 3, 1, 2];

/** Twelve machines of four brands; the first seat is kept for the player until `untilMs` (epoch ms). */
export function scriptedWorld(untilMs: number): World {
  return {
    settings: {
      contacts: [
        { title: "Destek", phone: "+90 555 000 00 01" },
        { title: "Hesap açma", phone: "+90 555 000 00 02" },
      ],
    },
    player: { id: "p_1", name: "Deniz", lastname: "Aydın", username: "deniz.aydin", type: 1, Permissions: [145] },
    signIn: {
      pin_code: "",
      ip_address: "85.104.12.7",
      versions: "2.3.4",
      last_logon: "2026-11-20T20:14:00.000Z",
      last_logon_ip: "85.104.12.9",
      Group: 1,
      Permissions: [145],
    },
    balance: { balance: 1_245_075 },
    brands: [
      {
        id: "nar",
        name: "Nar",
        jackpot: "128493040,8641215,987060,120435",
        jackpotNames: ["Grand", "Major", "Minor", "Mini"],
        machineCount: 3,
      },
      { id: "kuzey", name: "Kuzey", jackpot: "91230058", jackpotNames: ["Grand"], machineCount: 3 },
      { id: "pera", name: "Pera", jackpot: "182460117", jackpotNames: ["Grand"], machineCount: 3 },
      { id: "mercan", name: "Mercan", jackpot: "1462574", jackpotNames: ["Grand"], machineCount: 3 },
    ],
    machines: NAMES.map((name, index) => ({
      id: `m_${index + 1}`,
      name,
      brand: name.replace(/ \d+$/, ""),
      status: STATUSES[index] ?? 1,
      ...(index === 0 && { mine: true, until: new Date(untilMs).toISOString() }),
      ...(index === 6 && { reservation: { until: new Date(untilMs + 900_000).toISOString() } }),
    })),
    session: undefined,
    hosts: [],
  };
}
