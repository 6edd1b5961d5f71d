import { agentLink } from "./agent-link.ts";
import * as dataChannel from "./data-channel.ts";
import * as envelope from "./envelope.ts";
import { gameSocket } from "./game-socket.ts";
import { calls, Failure, TokenPayload } from "./http.ts";
import { MACHINE_STATUS, SESSION_STATUSES } from "./machine.ts";
import { notificationSocket } from "./notification-socket.ts";
import { problems } from "./problems.ts";
import { settingFields } from "./settings.ts";
import { AppearanceChoice } from "./template/appearance.ts";
import { templateCalls } from "./template/template-api.ts";

/** Everything that is a promise to others, in one object: the snapshot is made of it. */
export const contractParts = {
  agentLink,
  AppearanceChoice,
  calls,
  dataChannel,
  envelope,
  Failure,
  gameSocket,
  machineStatus: MACHINE_STATUS,
  notificationSocket,
  problems,
  sessionStatuses: SESSION_STATUSES,
  settings: settingFields,
  templateCalls,
  TokenPayload,
};
