import { agentLink } from "./agent-link.ts";
import { clipCalls } from "./clips.ts";
import * as dataChannel from "./data-channel.ts";
import * as envelope from "./envelope.ts";
import { gameSocket } from "./game-socket.ts";
import { calls, Failure, TokenPayload } from "./http.ts";
import { MACHINE_STATUS, SESSION_STATUSES } from "./lobby-lists.ts";
import { notificationSocket } from "./notification-socket.ts";
import { PERMISSIONS } from "./permission-texts.ts";
import { breakCalls } from "./player-breaks.ts";
import { letterCalls } from "./player-care.ts";
import { disputeCalls } from "./player-disputes.ts";
import { identityCalls } from "./player-identity.ts";
import { keyCalls } from "./player-keys.ts";
import { limitCalls } from "./player-limits.ts";
import { mailCalls } from "./player-mail.ts";
import { openIdCalls } from "./player-openid.ts";
import { paymentCalls } from "./player-payments.ts";
import { pushCalls } from "./player-push.ts";
import { queueCalls } from "./player-queue.ts";
import { recordCalls } from "./player-record.ts";
import { termsCalls } from "./player-terms.ts";
import { problems } from "./problems.ts";
import { settingFields } from "./settings.ts";
import { staffSocket } from "./staff.ts";
import { StaffFailure } from "./staff-call.ts";
import { staffProblems } from "./staff-problems.ts";
import { APPROVAL_KINDS, ROLES, SEPARATE_ROLES } from "./staff-rights.ts";
import { AppearanceChoice } from "./template/appearance.ts";
import { templateCalls } from "./template/template-api.ts";

/** Everything that is a promise to others, in one object: the snapshot is made of it. The staff's calls have a document of their own. */
export const contractParts = {
  agentLink,
  AppearanceChoice,
  breakCalls,
  calls,
  clipCalls,
  dataChannel,
  disputeCalls,
  envelope,
  Failure,
  gameSocket,
  identityCalls,
  keyCalls,
  mailCalls,
  letterCalls,
  limitCalls,
  machineStatus: MACHINE_STATUS,
  notificationSocket,
  openIdCalls,
  paymentCalls,
  problems,
  pushCalls,
  queueCalls,
  recordCalls,
  sessionStatuses: SESSION_STATUSES,
  settings: settingFields,
  staff: {
    approvalKinds: APPROVAL_KINDS,
    Failure: StaffFailure,
    permissions: PERMISSIONS,
    problems: staffProblems,
    roles: ROLES,
    separateRoles: SEPARATE_ROLES,
    socket: staffSocket,
  },
  templateCalls,
  termsCalls,
  TokenPayload,
};
