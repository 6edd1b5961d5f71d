/** The one stream of our Janus. */
export const STREAM_ID = 1;

export type JanusPlaces = {
  /** Where the files below lie, and folders `plugins`, `transports` and `empty`. */
  readonly folder: string;
  /** Of its WebSocket. */
  readonly port: number;
  /** Where it takes RTP, on 127.0.0.1. */
  readonly rtpPort: number;
  /** Where it sends media from: it never does from 127.0.0.1. */
  readonly address: string;
  /** Offers TCP beside UDP. */
  readonly tcp: boolean;
};

/** Janus' settings as a good operator writes them for a delay as short as can be, by file name. */
export function janusSettings({ folder, port, rtpPort, address, tcp }: JanusPlaces): Record<string, string> {
  return {
    "janus.jcfg": `general: {
  configs_folder = "${folder}"
  plugins_folder = "${folder}/plugins"
  transports_folder = "${folder}/transports"
  events_folder = "${folder}/empty"
  loggers_folder = "${folder}/empty"
  debug_level = 3
  debug_colors = false
  session_timeout = 0
}
media: {
  min_nack_queue = 500
}
nat: {
  nice_debug = false
  ice_lite = true
  ice_tcp = ${tcp}
  ignore_mdns = true
  ice_enforce_list = "${address}"
}
`,
    "janus.transport.websockets.jcfg": `general: {
  json = "compact"
  ws = true
  ws_port = ${port}
  ws_ip = "127.0.0.1"
  wss = false
}
admin: {
  admin_ws = false
  admin_wss = false
}
`,
    // What was before the last key frame is of no use to a viewer who joins, so the stream is kept from there on.
    "janus.plugin.streaming.jcfg": `floor: {
  type = "rtp"
  id = ${STREAM_ID}
  description = "the simulated machine"
  audio = false
  video = true
  videoport = ${rtpPort}
  videoiface = "127.0.0.1"
  videopt = 96
  videocodec = "h264"
  videofmtp = "profile-level-id=42e01f;packetization-mode=1"
  videobufferkf = true
  playoutdelay_ext = true
}
`,
  };
}
