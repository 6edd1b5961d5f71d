/** What lies between the machine and the player's eyes, in the order in which it is looked at. */
export const PARTS = ["browser", "permission", "socket", "agent", "machine", "udp", "tcp", "turn", "picture"] as const;
export type Part = (typeof PARTS)[number];

/** What was found, each with a sentence of its own: what it means and what to do. */
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
