import type { IceServer } from "@longarm/contract/ice-server";

type RtcServer = { urls: string[]; username?: string; credential?: string };
/** As `RTCConfiguration` of a browser. */
type RtcConfiguration = { iceServers: RtcServer[]; iceTransportPolicy: "relay" | "all" };

/** Which servers, and whether only through them. */
export function configurationOf(servers: readonly IceServer[], relayOnly: boolean): RtcConfiguration {
  return { iceServers: serversOf(servers), iceTransportPolicy: relayOnly ? "relay" : "all" };
}

/** A browser opens no connection at all when one of them is no address of a server: that one is left out. */
function serversOf(servers: readonly IceServer[]): RtcServer[] {
  return servers.flatMap(({ urls, username, credential }) => {
    const good = [urls].flat().filter((url) => /^(stun|turn)s?:[^\s/]+$/.test(url));
    if (good.length === 0) return [];
    return { urls: good, ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) };
  });
}

type Codec = { readonly mimeType: string; readonly sdpFmtpLine?: string | undefined };

/**
 * The codecs to offer, best first: H.264 constrained baseline (42e01f, one slice a packet at most), other H.264, VP8; Opus for sound.
 * Everything else is left out, which also keeps the offer small. Empty: the browser has none of them, so its own order holds.
 */
export function preferred<C extends Codec>(kind: "video" | "audio", codecs: readonly C[]): C[] {
  const ranked = codecs
    .map((codec) => ({ codec, rank: rankOf(kind, codec) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((a, b) => a.rank - b.rank);
  if (ranked.length === 0) return [];
  // Packets sent again travel as rtx, and those that repair lost ones as FlexFEC; both must be offered beside what they belong to.
  const beside = [`${kind}/rtx`, `${kind}/flexfec-03`];
  const again = codecs.filter(({ mimeType }) => beside.includes(mimeType.toLowerCase()));
  return [...ranked.map(({ codec }) => codec), ...again];
}

function rankOf(kind: "video" | "audio", { mimeType, sdpFmtpLine = "" }: Codec): number {
  const type = mimeType.toLowerCase();
  if (kind === "audio") return type === "audio/opus" ? 0 : Number.POSITIVE_INFINITY;
  if (type === "video/vp8") return 3;
  if (type !== "video/h264" || !sdpFmtpLine.includes("packetization-mode=1")) return Number.POSITIVE_INFINITY;
  return /profile-level-id=42e0/i.test(sdpFmtpLine) ? 0 : 1;
}
