import type { Offer, OfferedSection } from "./offer.ts";

const FEEDBACK = ["nack", "nack pli", "ccm fir", "goog-remb"];

/**
 * The offer written anew from what was read of it: one codec a section, known attributes only, no candidates. The WebRTC
 * library sees this text and never the browser's, so nothing hostile and nothing unknown reaches its parser.
 */
export function rebuildOffer(offer: Offer): string {
  const mids = offer.sections.map((section) => section.mid).join(" ");
  const lines = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", `a=group:BUNDLE ${mids}`];
  for (const section of offer.sections) lines.push(...sectionLines(offer, section));
  return `${lines.join("\r\n")}\r\n`;
}

function sectionLines(offer: Offer, section: OfferedSection): string[] {
  const transport = [
    "c=IN IP4 0.0.0.0",
    `a=ice-ufrag:${offer.iceUfrag}`,
    `a=ice-pwd:${offer.icePwd}`,
    "a=ice-options:trickle",
    `a=fingerprint:${offer.fingerprint.algorithm} ${offer.fingerprint.value}`,
    "a=setup:actpass",
    `a=mid:${section.mid}`,
  ];
  if (section.role === "data") {
    return [
      "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
      ...transport,
      "a=sctp-port:5000",
      "a=max-message-size:65536",
    ];
  }
  const { codec } = section;
  const kind = section.role === "audio" ? "audio" : "video";
  // Without a codec of ours the section is answered as rejected.
  if (!codec) return [`m=${kind} 0 UDP/TLS/RTP/SAVPF 0`, ...transport, "a=inactive", "a=rtcp-mux"];
  const payloadType = codec.payloadType;
  const encoding = codec.name === "opus" ? "opus/48000/2" : `${codec.name}/90000`;
  const direction = section.wanted ? "recvonly" : "inactive";
  return [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    ...transport,
    ...[...section.extensionIds].map(([uri, id]) => `a=extmap:${id} ${uri}`),
    `a=${direction}`,
    "a=rtcp-mux",
    `a=rtpmap:${payloadType} ${encoding}`,
    ...(kind === "video" ? FEEDBACK.map((feedback) => `a=rtcp-fb:${payloadType} ${feedback}`) : []),
    ...(codec.parameters === "" ? [] : [`a=fmtp:${payloadType} ${codec.parameters}`]),
  ];
}
