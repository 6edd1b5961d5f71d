/** Video codecs a viewer's connection may have agreed on. */
export type VideoCodec = "h264" | "vp8";

/** The data channels of the contract, section 3. */
export type DataChannelName = "press" | "clock";

/** As in the browser's RTCIceServer. */
export interface IceServer {
  readonly urls: string | readonly string[];
  readonly username?: string | undefined;
  readonly credential?: string | undefined;
}

/** A trickled candidate, as in the browser's RTCIceCandidateInit. */
export interface IceCandidate {
  readonly candidate: string;
  readonly sdpMid: string | null;
}

/** What offer and answer agreed on for one stream; everything the writer of an RTP header must know. */
export interface RtpStream {
  readonly payloadType: number;
  readonly ssrc: number;
  /** Id of the playout-delay header extension, or null when the browser did not offer it. */
  readonly playoutDelayId: number | null;
  /** Id of the header extension with the transport sequence number, or null when the browser did not offer it. */
  readonly transportSequenceId: number | null;
  /** Packets that repair lost ones of this stream (`flexfec-03`); absent where the browser did not offer to receive them. */
  readonly repair?: RepairStream | undefined;
}

/** The stream of a stream's repair packets. */
export interface RepairStream {
  readonly payloadType: number;
  readonly ssrc: number;
}

/** The streams of one viewer; a stream that the browser did not offer to receive is null. */
export interface NegotiatedStreams {
  readonly videoCodec: VideoCodec | null;
  readonly video: RtpStream | null;
  /** The browser wants no video for now: its page is hidden. Sequence numbers continue later. */
  readonly paused?: boolean;
  readonly audio: RtpStream | null;
  /** The room camera, while the browser wants it and the machine has one. */
  readonly roomCamera?: (RtpStream & { readonly codec: VideoCodec }) | null;
  /** Canonical name for the SDES of this connection. */
  readonly cname: string;
}

/** Events of a connection. They are called from the event loop, never from inside a method of the connection. */
export interface ConnectionEvents {
  /** Media can be sent from now on. Called again after an ICE restart, with the streams as they are then. */
  connected(streams: NegotiatedStreams): void;
  /** A further offer was answered: its streams may have been switched on or off. */
  renegotiated?(streams: NegotiatedStreams): void;
  /** Nothing has arrived for some seconds. The browser may come back by itself or by a new offer. */
  interrupted(): void;
  /** Final: nothing follows. `reason` is a sentence for the log. */
  closed(reason: string): void;
  /** One compound RTCP packet, decrypted. Hostile until parsed. */
  rtcp(packet: Uint8Array): void;
  /** One message of a data channel, at most 512 bytes. Hostile until parsed. */
  data(channel: DataChannelName, message: Uint8Array): void;
  channelOpen(channel: DataChannelName): void;
  /** A candidate of our side, for the browser. */
  candidate(candidate: IceCandidate): void;
}

/** One viewer's WebRTC connection. Sends never wait and never throw: what cannot be sent now is dropped. */
export interface ViewerConnection {
  /** Complete RTP packets with the header of `NegotiatedStreams.video`; the connection encrypts and sends each. */
  sendVideo(packets: readonly Uint8Array[]): void;
  sendAudio(packet: Uint8Array): void;
  /** One compound RTCP packet. */
  sendRtcp(packet: Uint8Array): void;
  /** False when the channel is not open or too much is waiting; then the message is lost. */
  sendData(channel: DataChannelName, message: Uint8Array): boolean;
  /** A candidate of the browser. One that is malformed, not allowed or one too many is dropped. */
  addCandidate(candidate: IceCandidate): void;
  /** A further offer of the same browser (ICE restart). Rejects with an `OfferProblem`; the connection then stays as it was. */
  renegotiate(sdp: string): Promise<string>;
  close(): Promise<void>;
}

export interface OfferRequest {
  /** Unique while the connection lives; goes to the log. */
  readonly viewerId: string;
  /** The browser's offer, as it arrived: hostile until read. */
  readonly sdp: string;
  readonly iceServers: readonly IceServer[];
  /** A codec to prefer where the offer has both; by default H.264. */
  readonly preferredCodec?: VideoCodec | undefined;
  /** Whether the machine has a camera of the room; without one that section is answered as inactive. */
  readonly roomCamera?: boolean | undefined;
  /** The answer waits for all candidates of our side: the viewer cannot be sent more. */
  readonly complete?: boolean | undefined;
}

export interface AnsweredOffer {
  readonly sdp: string;
  readonly connection: ViewerConnection;
  /** Of the machine's video, which can be sent once the connection is made; null: the browser offered to receive none. */
  readonly videoCodec: VideoCodec | null;
}

/** Brings our offer to a media server. Rejects when the server refuses it. */
export type Exchange = (offer: string) => Promise<{
  /** The server's answer, as it arrived: hostile until read. */
  readonly sdp: string;
  /** The address that gave it; it may be probed wherever it lies, because the operator named it. */
  readonly address: string | undefined;
}>;

/** Makes connections: a browser offers and the agent answers; to a media server the agent offers. */
export interface Transport {
  /** Rejects with an `OfferProblem` when the offer is refused; nothing is kept of it then. */
  addViewer(request: OfferRequest, events: ConnectionEvents): Promise<AnsweredOffer>;
  /** Offers a media server the machine's video and sound. Rejects as `exchange` does, and with an `OfferProblem` when the answer cannot be used. */
  publish(exchange: Exchange, events: ConnectionEvents): Promise<Omit<AnsweredOffer, "sdp">>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** A refused offer: the sentence says what is wrong with it and what to do. */
export class OfferProblem extends Error {
  override readonly name: string = "OfferProblem";
}

/** An offer that could be answered, if a viewer's place were free. */
export class PlacesTaken extends OfferProblem {
  override readonly name = "PlacesTaken";
  constructor() {
    super("Too many viewers watch this machine; try again later.");
  }
}
