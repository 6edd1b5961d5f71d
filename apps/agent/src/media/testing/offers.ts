const FINGERPRINT = Array.from({ length: 32 }, (_, at) => at.toString(16).padStart(2, "0").toUpperCase()).join(":");

const transport = (mid: string) => [
  "c=IN IP4 0.0.0.0",
  "a=ice-ufrag:abcd",
  "a=ice-pwd:abcdefghijklmnopqrstuvwx",
  "a=ice-options:trickle",
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  "a=setup:actpass",
  `a=mid:${mid}`,
];

const EXTENSIONS = [
  "a=extmap:2 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
  "a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay",
  "a=extmap:6 urn:ietf:params:rtp-hdrext:sdes:mid",
];

/** Sections as a browser writes them, shortened to what is read. */
export const offerSections = {
  video: [
    "m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 108",
    ...transport("0"),
    ...EXTENSIONS,
    "a=recvonly",
    "a=rtcp-mux",
    "a=rtpmap:96 VP8/90000",
    "a=rtpmap:97 rtx/90000",
    "a=fmtp:97 apt=96",
    "a=rtpmap:102 H264/90000",
    "a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f",
    "a=rtpmap:108 H264/90000",
    "a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
    "a=candidate:1 1 udp 2113937151 198.51.100.7 50000 typ host generation 0",
  ],
  audio: [
    "m=audio 9 UDP/TLS/RTP/SAVPF 111 0",
    ...transport("1"),
    "a=recvonly",
    "a=rtcp-mux",
    "a=rtpmap:111 opus/48000/2",
    "a=rtpmap:0 PCMU/8000",
  ],
  data: ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", ...transport("2"), "a=sctp-port:5000"],
};

/** An offer of the given sections in one bundle. */
export function offerOf(sections: readonly (readonly string[])[], mids = "0 1 2"): string {
  const head = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", `a=group:BUNDLE ${mids}`];
  return `${[...head, ...sections.flat()].join("\r\n")}\r\n`;
}

/** A whole good offer. */
export const goodOffer = (): string => offerOf([offerSections.video, offerSections.audio, offerSections.data]);
