import type { IceServer } from "@longarm/contract/ice-server";
import type { WayTried } from "../picture/trial.ts";
import type { PlayState } from "../play-state.ts";
import type { Way } from "../recovery/way.ts";
import { hasRelay } from "../recovery/way.ts";
import type { Finding, Found, Part } from "./finding.ts";
import { PARTS } from "./finding.ts";

/** What the browser can do, by itself. */
export type BrowserChecks = {
  /** Whether it can play live pictures at all. */
  readonly browser: () => "fine" | "noWebRtc" | "noCodec";
  /** The addresses it finds of its own; `relayOnly`: through the TURN servers. */
  readonly gather: (servers: readonly IceServer[], relayOnly: boolean) => Promise<{ readonly addresses: number }>;
};

export type SelfTestDeps = BrowserChecks & {
  readonly state: () => PlayState;
  /** `udp` or `tcp` while pictures come. */
  readonly protocol: () => "udp" | "tcp" | undefined;
  readonly servers: () => Promise<readonly IceServer[]>;
  readonly tryWay: (way: Way) => Promise<WayTried>;
  /** Resolves once pictures come, true, or after a while, false. */
  readonly pictures: () => Promise<boolean>;
};

const ok = (found: Found = "fine"): Omit<Finding, "part"> => ({ is: "ok", found });
const fail = (found: Found): Omit<Finding, "part"> => ({ is: "fail", found });
const skipped = (found: Found = "notNeeded"): Omit<Finding, "part"> => ({ is: "skipped", found });

/**
 * Finds out why no picture comes: looks at one part after the other, tells each as it is found, and ends. Ways are tried in earnest while
 * no picture comes, so that the first that works brings it back; while one comes nothing disturbs it. `stopped`: nobody looks any more.
 */
export async function runSelfTest(
  deps: SelfTestDeps,
  tell: (finding: Finding) => void,
  stopped: () => boolean,
): Promise<void> {
  const found: Partial<Record<Part, Omit<Finding, "part">>> = {};
  for (const part of PARTS) {
    const finding = await look(part, deps, found);
    if (stopped()) return;
    found[part] = finding;
    tell({ part, ...finding });
  }
}

type Before = Partial<Record<Part, Omit<Finding, "part">>>;

function look(part: Part, deps: SelfTestDeps, before: Before): Promise<Omit<Finding, "part">> {
  return LOOKS[part](deps, before);
}

/** The ways cannot be tried without these. */
const NEEDED: readonly Part[] = ["browser", "permission", "socket", "agent"];
const canTry = (before: Before): boolean => NEEDED.every((part) => before[part]?.is !== "fail");
const WAYS: readonly Part[] = ["udp", "tcp", "turn"];

const LOOKS: Readonly<Record<Part, (deps: SelfTestDeps, before: Before) => Promise<Omit<Finding, "part">>>> = {
  async browser({ browser }) {
    const found = browser();
    return found === "fine" ? ok() : fail(found);
  },
  async permission({ gather }, { browser }) {
    if (browser?.found === "noWebRtc") return skipped();
    const { addresses } = await gather([], false);
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
    const servers = await deps.servers();
    if (!hasRelay(servers)) return skipped("turnNone");
    if (before.permission?.is !== "ok") return skipped();
    const { addresses } = await deps.gather(servers, true);
    if (addresses === 0) return fail("turnAway");
    return deps.state().live ? ok() : tried(deps, before, "turn");
  },
  async picture(deps, before) {
    if (!canTry(before)) return skipped();
    if (await deps.pictures()) return ok();
    return fail(WAYS.some((way) => before[way]?.is === "ok") ? "pictureAway" : "noWay");
  },
};

const WAY_OF = { udp: "udp", tcp: "tcp", turn: "relay" } as const;
const BLOCKED = { udp: "udpBlocked", tcp: "tcpBlocked", turn: "turnBlocked" } as const;

async function tried(deps: SelfTestDeps, before: Before, part: "udp" | "tcp" | "turn"): Promise<Omit<Finding, "part">> {
  if (!canTry(before)) return skipped();
  if (deps.state().live) return deps.protocol() === part ? ok("inUse") : skipped();
  const { is, own, theirs } = await deps.tryWay(WAY_OF[part]);
  if (is === "connected") return ok();
  if (is === "refused") return fail("noAnswer");
  if (part === "udp" && own === 0) return fail("udpBlockedHere");
  if (part === "tcp" && theirs === 0) return fail("tcpNotOffered");
  return fail(BLOCKED[part]);
}
