import type { Page } from "playwright-core";
import type { Damage, UdpRelay } from "./udp-relay.ts";
import { CLEAN, openUdpRelay } from "./udp-relay.ts";

/** What a page's media path becomes: through relays that do damage, without UDP at all, or UDP through clean relays beside TCP. */
export type MediaPath = Damage | "tcp only" | "tcp too";

export type DamagedPath = {
  relays(): Promise<readonly UdpRelay[]>;
  /** Cuts every relay there is and will be, or lets all through again. */
  cut(isCut: boolean): Promise<void>;
  /** Another network: every relay there is dies, and a page that connects from now on gets a new one. */
  move(): Promise<void>;
  close(): void;
};

/**
 * Sends all media of a page through relays. The page's own candidates are withheld, and each UDP candidate of the agent is
 * replaced by a relay's; TCP candidates stay only where the path says so. `host`: where who sends the media is, other than on
 * 127.0.0.1. Call it before the page is opened.
 */
export async function damagePath(
  page: Page,
  path: MediaPath,
  random: () => number,
  host?: string,
): Promise<DamagedPath> {
  const relays = new Map<number, Promise<UdpRelay>>();
  let cut = false;
  const opened = async (agentPort: number, damage: Damage): Promise<UdpRelay> => {
    const relay = await openUdpRelay(agentPort, damage, random, host);
    relay.cut(cut);
    return relay;
  };
  await page.exposeFunction("longarmRelayFor", async (agentPort: number) => {
    if (path === "tcp only") return 0;
    const relay = relays.get(agentPort) ?? opened(agentPort, path === "tcp too" ? CLEAN : path);
    relays.set(agentPort, relay);
    return (await relay).portNumber;
  });
  await page.addInitScript(rewriteAgentCandidates, { udp: path !== "tcp only", tcp: typeof path === "string" });
  await page.addInitScript(withholdOwnCandidates, path === "tcp only");
  return {
    relays: () => Promise.all(relays.values()),
    async cut(isCut) {
      cut = isCut;
      for (const relay of await Promise.all(relays.values())) relay.cut(isCut);
    },
    async move() {
      const old = [...relays.values()];
      relays.clear();
      for (const relay of await Promise.all(old)) relay.close();
    },
    close() {
      for (const relay of relays.values()) void relay.then((made) => made.close());
    },
  };
}

/** Runs in the page. Self-contained: it is sent as text. */
function rewriteAgentCandidates(kept: { readonly udp: boolean; readonly tcp: boolean }): void {
  const page = globalThis as unknown as { longarmRelayFor(port: number): Promise<number> };
  const real = RTCPeerConnection.prototype;
  type AnyMethod = (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>;
  const setRemote = real.setRemoteDescription as AnyMethod;
  const addCandidate = real.addIceCandidate as AnyMethod;

  async function rewrite(line: string): Promise<string | null> {
    const words = line.replace(/^a=/, "").split(" ");
    const udp = words[2]?.toLowerCase() === "udp";
    if (!udp) return kept.tcp ? line : null;
    if (!kept.udp) return null;
    if (words[4]?.includes(":")) return null;
    words[5] = String(await page.longarmRelayFor(Number(words[5])));
    words[4] = "127.0.0.1";
    return (line.startsWith("a=") ? "a=" : "") + words.join(" ");
  }

  async function rewriteSdp(sdp: string): Promise<string> {
    const lines = await Promise.all(
      sdp.split("\r\n").map((line) => (line.startsWith("a=candidate:") ? rewrite(line) : line)),
    );
    return lines.filter((line) => line !== null).join("\r\n");
  }

  real.setRemoteDescription = async function (this: RTCPeerConnection, description: RTCSessionDescriptionInit) {
    await setRemote.call(this, { type: description.type, sdp: await rewriteSdp(description.sdp ?? "") });
  } as typeof real.setRemoteDescription;
  real.addIceCandidate = async function (this: RTCPeerConnection, candidate?: RTCIceCandidateInit | null) {
    if (!candidate?.candidate) return addCandidate.call(this, candidate ?? undefined);
    const rewritten = await rewrite(candidate.candidate);
    if (rewritten !== null) await addCandidate.call(this, { ...candidate, candidate: rewritten });
  } as typeof real.addIceCandidate;
}

/**
 * Runs in the page. Self-contained. The agent must not learn an address behind the relay, so it receives none of the page's own UDP
 * candidates.
 */
function withholdOwnCandidates(tcpOnly: boolean): void {
  const real = RTCPeerConnection.prototype;
  const listen = real.addEventListener;
  function silent(event: Event): boolean {
    const { candidate } = event as RTCPeerConnectionIceEvent;
    return Boolean(candidate?.candidate) && (candidate?.protocol === "udp" || !tcpOnly);
  }
  real.addEventListener = function (this: RTCPeerConnection, type: string, listener: EventListener, more?: unknown) {
    const wrapped =
      type === "icecandidate"
        ? function (this: unknown, event: Event) {
            if (!silent(event)) listener.call(this as EventTarget, event);
          }
        : listener;
    listen.call(this, type, wrapped, more as AddEventListenerOptions);
  } as typeof listen;
  const own = Object.getOwnPropertyDescriptor(real, "onicecandidate");
  Object.defineProperty(real, "onicecandidate", {
    configurable: true,
    get(this: RTCPeerConnection) {
      return own?.get?.call(this);
    },
    set(this: RTCPeerConnection, listener: ((event: Event) => void) | null) {
      own?.set?.call(
        this,
        listener &&
          ((event: Event) => {
            if (!silent(event)) listener.call(this, event);
          }),
      );
    },
  });
  const local = Object.getOwnPropertyDescriptor(real, "localDescription");
  Object.defineProperty(real, "localDescription", {
    configurable: true,
    get(this: RTCPeerConnection) {
      const description = local?.get?.call(this) as RTCSessionDescription | null;
      return description === null ? null : { type: description.type, sdp: withoutCandidates(description.sdp) };
    },
  });
  function withoutCandidates(sdp: string): string {
    return sdp
      .split("\r\n")
      .filter((line) => !line.startsWith("a=candidate:"))
      .join("\r\n");
  }
}
