import type { IceServer } from "@longarm/contract/ice-server";
import { hasRelay } from "./media/connection.ts";
import type { LinkMeter, LinkReport } from "./media/link-meter.ts";
import type { MediaLink } from "./media/media-link.ts";
import type { PlayState } from "./play-state.ts";

/** Everything between the machine and the player's eyes, in the order of the test. */
export const PARTS = ["browser", "permission", "socket", "agent", "machine", "udp", "tcp", "turn", "picture"] as const;
export type Part = (typeof PARTS)[number];

/** What was found. Each has a text of its own: what it means and what to do. */
export type Found =
  | "fine"
  | "inUse"
  | "notNeeded"
  | "noWebRtc"
  | "noCodec"
  | "webRtcBlocked"
  | "serverAway"
  | "agentAway"
  | "noAnswer"
  | "machineLocked"
  | "udpBlockedHere"
  | "udpBlocked"
  | "tcpNotOffered"
  | "tcpBlocked"
  | "turnNone"
  | "turnAway"
  | "turnBlocked"
  | "noWay"
  | "pictureAway";

export type Finding = { readonly part: Part; readonly is: "ok" | "fail" | "skipped"; readonly found: Found };

/** What the browser can do, by itself. */
export type BrowserChecks = {
  /** Whether it can play live video at all. */
  readonly browser: () => "fine" | "noWebRtc" | "noCodec";
  /** How many addresses ICE finds on our side; `relayOnly`: through the TURN servers. */
  readonly gather: (servers: readonly IceServer[], relayOnly: boolean) => Promise<{ readonly addresses: number }>;
};

export type SelfTestDeps = {
  readonly browser: BrowserChecks;
  readonly state: () => PlayState;
  readonly media: Pick<MediaLink, "iceServers" | "tryTransport">;
  readonly meter: Pick<LinkMeter, "report">;
  /** Resolves to true once video arrives, or to false after a while. */
  readonly video: () => Promise<boolean>;
};

const ok = (found: Found = "fine"): Omit<Finding, "part"> => ({ is: "ok", found });
const fail = (found: Found): Omit<Finding, "part"> => ({ is: "fail", found });
const skipped = (found: Found = "notNeeded"): Omit<Finding, "part"> => ({ is: "skipped", found });

/**
 * Finds out why no video arrives: tests one part after the other and reports each finding. While video is missing it tries the transports in
 * earnest, so that the first that works brings the video back; while video arrives it disturbs nothing. `stopped`: the sheet was closed.
 */
export async function runSelfTest(
  deps: SelfTestDeps,
  report: (finding: Finding) => void,
  stopped: () => boolean,
): Promise<void> {
  const found: Before = {};
  for (const part of PARTS) {
    const finding = await TESTS[part](deps, found);
    if (stopped()) return;
    found[part] = finding;
    report({ part, ...finding });
  }
}

/** What the parts before this one showed. */
type Before = Partial<Record<Part, Omit<Finding, "part">>>;

/** No transport can be tried without these. */
const NEEDED: readonly Part[] = ["browser", "permission", "socket", "agent"];
const canTry = (before: Before): boolean => NEEDED.every((part) => before[part]?.is !== "fail");
const TRANSPORTS: readonly Part[] = ["udp", "tcp", "turn"];

const TESTS: Readonly<Record<Part, (deps: SelfTestDeps, before: Before) => Promise<Omit<Finding, "part">>>> = {
  async browser({ browser }) {
    const found = browser.browser();
    return found === "fine" ? ok() : fail(found);
  },
  async permission({ browser }, before) {
    if (before.browser?.found === "noWebRtc") return skipped();
    const { addresses } = await browser.gather([], false);
    return addresses > 0 ? ok() : fail("webRtcBlocked");
  },
  socket: async ({ state }) => (state().online ? ok() : fail("serverAway")),
  async agent({ state }, { socket }) {
    if (socket?.is === "fail") return skipped();
    return state().agentAway ? fail("agentAway") : ok();
  },
  async machine({ state }, { agent }) {
    if (agent?.is !== "ok") return skipped();
    const { meters } = state();
    return meters?.lockup === undefined && meters?.handPay === undefined ? ok() : fail("machineLocked");
  },
  udp: (deps, before) => tried(deps, before, "udp"),
  tcp: (deps, before) => tried(deps, before, "tcp"),
  async turn(deps, before) {
    const servers = await deps.media.iceServers();
    if (!hasRelay(servers)) return skipped("turnNone");
    if (before.permission?.is !== "ok") return skipped();
    const { addresses } = await deps.browser.gather(servers, true);
    if (addresses === 0) return fail("turnAway");
    return deps.state().live ? ok() : tried(deps, before, "turn");
  },
  async picture(deps, before) {
    if (!canTry(before)) return skipped();
    if (await deps.video()) return ok();
    return fail(TRANSPORTS.some((transport) => before[transport]?.is === "ok") ? "pictureAway" : "noWay");
  },
};

const TRANSPORT_OF = { udp: "udp", tcp: "tcp", turn: "relay" } as const;
const BLOCKED = { udp: "udpBlocked", tcp: "tcpBlocked", turn: "turnBlocked" } as const;

async function tried(deps: SelfTestDeps, before: Before, part: "udp" | "tcp" | "turn"): Promise<Omit<Finding, "part">> {
  if (!canTry(before)) return skipped();
  if (deps.state().live) return deps.meter.report.path.protocol === part ? ok("inUse") : skipped();
  const { is, own, theirs } = await deps.media.tryTransport(TRANSPORT_OF[part]);
  if (is === "connected") return ok();
  if (is === "refused") return fail("noAnswer");
  if (part === "udp" && own === 0) return fail("udpBlockedHere");
  if (part === "tcp" && theirs === 0) return fail("tcpNotOffered");
  return fail(BLOCKED[part]);
}

/** The source of a support file. */
export type SupportSource = {
  readonly machineId: string;
  /** Ms since 1970. */
  readonly now: number;
  readonly userAgent: string;
  readonly findings: readonly Finding[];
};

/**
 * The report as a file for support, JSON. It carries figures and kinds only: no token, no name of the player and no address.
 * Times are seconds before the file was made.
 */
export function supportFile(report: LinkReport, { machineId, now, userAgent, findings }: SupportSource): string {
  const ago = (at: number): number => Math.round((now - at) / 100) / 10;
  const { readout, press, path } = report;
  return JSON.stringify(
    {
      what: "longarm connection report",
      at: new Date(now).toISOString(),
      machineId,
      userAgent,
      readout,
      sourceDelayMs: report.sourceDelayMs ?? null,
      press: press ?? null,
      path,
      samples: report.samples.map(({ at, ...sample }) => ({ secondsAgo: ago(at), ...sample })),
      events: report.events.map(({ at, what }) => ({ secondsAgo: ago(at), what })),
      selfTest: findings,
    },
    null,
    2,
  );
}
