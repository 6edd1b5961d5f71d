import type { LineTiming } from "../line/line.ts";
import { LINE_TIMING } from "../line/line.ts";

/** What makers do differently, as data. A profile is chosen in the list of machines; what can be probed is probed instead. */
export type VendorProfile = {
  /** For the doctor and the machine's recorded facts. */
  readonly about: string;
  /** Real-time events are turned on, so that games carry their stake and win. */
  readonly realTimeEvents: boolean;
  /** Poll 72 ends with a lock timeout. Some machines want the message without it. */
  readonly lockTimeoutField: boolean;
  /** The machine wants to be registered before each transfer. In-house transfers need none by the protocol. */
  readonly registersEachTransfer: boolean;
  /** The machine can be locked for a transfer. */
  readonly locks: boolean;
  /** Poll 94 resets a hand pay. It cannot be probed: on a machine in a hand pay the probe would reset it. */
  readonly resetsHandPays: boolean;
  /** Pool of restricted credits in poll 72. */
  readonly pool: number;
  /** Longest silence inside an answer, ms. */
  readonly interByteMs: number;
};

const STANDARD: VendorProfile = {
  about: "SAS 6.02 as it is written",
  realTimeEvents: true,
  lockTimeoutField: true,
  registersEachTransfer: false,
  locks: true,
  resetsHandPays: true,
  pool: 0,
  interByteMs: 5,
};

export const PROFILES = {
  standard: STANDARD,
  plainEvents: { ...STANDARD, about: "no real-time events: games are read from the meters", realTimeEvents: false },
  registered: {
    ...STANDARD,
    about: "transfers without a lock timeout, in pool 12, each after a registration",
    ...{ lockTimeoutField: false, registersEachTransfer: true, pool: 12 },
  },
  slow: { ...STANDARD, about: "gaps of up to 20 ms inside an answer", interByteMs: 20 },
} as const satisfies Record<string, VendorProfile>;
export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as [ProfileName, ...ProfileName[]];

/** Times of a line as an operator may set them; one that is absent is the profile's, else the protocol's. */
export type TimingSettings = { readonly [Name in keyof LineTiming]?: LineTiming[Name] | undefined };

/** The times of a line: what the operator set, then what the machine's profile needs, then the protocol's. */
export function timingOf(profile: ProfileName, set: TimingSettings = {}): LineTiming {
  const given = Object.entries(set).filter(([, ms]) => ms !== undefined);
  return { ...LINE_TIMING, interByteMs: PROFILES[profile].interByteMs, ...Object.fromEntries(given) };
}
