/**
 * What a member of staff may do. A role is a set of these; a call of `staffCalls` names the one that it needs. What a person may see but not do
 * is shown with the button disabled.
 */
export const PERMISSIONS = {
  "floor.see": "Today, the floor and stills of machines",
  "task.take": "Take, give and escalate tasks",
  "machine.watch": "Live video of a machine",
  "machine.operate": "Drain, close, open and reserve machines, end play sessions",
  "machine.simulate": "Make events happen at a simulated machine",
  "machine.configure": "Enrol, move, retire and configure machines",
  "stop.set": "Emergency stop",
  "stop.release": "Let play continue after an emergency stop",
  "player.find": "Find players: seat and name",
  "player.message": "Send a message to a player",
  "player.add": "Add a player",
  "player.see": "A player's wallet, play sessions and games",
  "player.lock": "Ban a player, end sign-ins, set a new password or PIN",
  "limit.stricter": "Make a player's limits stricter, exclude a player",
  "limit.looser": "Make limits looser at the player's wish",
  "handPay.see": "Hand pays and their slips",
  "handPay.pay": "Pay a hand pay",
  "handPay.void": "Void a hand pay",
  "wallet.move": "Deposit to and withdraw from a wallet",
  "shift.own": "Open and close one's own cashier shift",
  "shift.see": "Cashier shifts of everybody",
  "transfer.see": "Transfers whose outcome is unknown",
  "transfer.askAgain": "Read an unknown transfer from the machine again",
  "transfer.memoryGone": "Declare that a machine's record of a transfer is gone",
  "discrepancy.see": "Discrepancies with their evidence",
  "discrepancy.explain": "Explain a discrepancy",
  "discrepancy.sign": "Sign the explanation of a discrepancy",
  "bonus.grant": "Grant one player a bonus",
  "promotion.see": "Campaigns and the quick panel",
  "promotion.run": "Run campaigns, write to the quick panel",
  "report.own": "Figures of one's own shift",
  "report.see": "Reports",
  "audit.see": "The audit log and the proof of its chain",
  "agent.see": "Agents, their links and the doctor",
  "agent.manage": "Enrol, rotate and revoke agents and keys",
  "settings.see": "Settings and their versions",
  "settings.change": "Change settings",
  "staff.see": "Staff, roles and who is signed in",
  "staff.manage": "Invite staff, change roles, end sign-ins",
  "restore.sign": "Sign a restore of a backup",
  "wall.admit": "Admit and end wall displays",
} as const;
export type Permission = keyof typeof PERMISSIONS;
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/**
 * What somebody of a role may move alone, minor units; above it a second person signs. Absent: no act of this kind. `handPay`: by one act. `wallet`
 * (deposits and withdrawals each by themselves) and `bonus`: by one person in one business day, without what a second person signed.
 */
export type RoleLimits = { readonly handPay?: number; readonly wallet?: number; readonly bonus?: number };
export type LimitedAct = keyof RoleLimits;

type RoleSpec = { readonly permissions: readonly Permission[]; readonly limits: RoleLimits };

/** Where an act needs no second person below a limit: ₺10,000. */
const USUAL_LIMIT_MINOR = 1_000_000;

/** The roles of a new platform; the platform keeps roles as data, which two administrators may change. */
export const ROLES = {
  attendant: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "stop.set",
      "player.find",
      "player.message",
      "limit.stricter",
      "handPay.see",
      "handPay.pay",
      "transfer.see",
      "transfer.askAgain",
      "bonus.grant",
      "agent.see",
      "report.own",
    ],
    limits: { handPay: USUAL_LIMIT_MINOR, bonus: 50_000 },
  },
  cashier: {
    permissions: [
      "floor.see",
      "task.take",
      "stop.set",
      "player.find",
      "player.message",
      "player.add",
      "player.see",
      "limit.stricter",
      "wallet.move",
      "shift.own",
      "report.own",
    ],
    limits: { wallet: USUAL_LIMIT_MINOR },
  },
  supervisor: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "stop.set",
      "stop.release",
      "player.find",
      "player.message",
      "player.add",
      "player.see",
      "player.lock",
      "limit.stricter",
      "limit.looser",
      "handPay.see",
      "handPay.pay",
      "handPay.void",
      "wallet.move",
      "shift.own",
      "shift.see",
      "transfer.see",
      "transfer.askAgain",
      "transfer.memoryGone",
      "discrepancy.see",
      "discrepancy.explain",
      "discrepancy.sign",
      "bonus.grant",
      "promotion.see",
      "promotion.run",
      "report.own",
      "report.see",
      "audit.see",
      "agent.see",
      "settings.see",
      "staff.see",
      "wall.admit",
    ],
    limits: { handPay: USUAL_LIMIT_MINOR, wallet: USUAL_LIMIT_MINOR, bonus: USUAL_LIMIT_MINOR },
  },
  technician: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "machine.simulate",
      "machine.configure",
      "stop.set",
      "player.find",
      "transfer.see",
      "transfer.askAgain",
      "discrepancy.see",
      "agent.see",
      "agent.manage",
    ],
    limits: {},
  },
  auditor: {
    permissions: [
      "floor.see",
      "machine.watch",
      "player.find",
      "player.see",
      "handPay.see",
      "shift.see",
      "transfer.see",
      "discrepancy.see",
      "promotion.see",
      "report.see",
      "audit.see",
      "agent.see",
      "settings.see",
      "staff.see",
    ],
    limits: {},
  },
  administrator: {
    permissions: [
      "floor.see",
      "stop.set",
      "stop.release",
      "player.find",
      "discrepancy.see",
      "discrepancy.sign",
      "promotion.see",
      "machine.configure",
      "machine.simulate",
      "report.see",
      "audit.see",
      "agent.see",
      "agent.manage",
      "settings.see",
      "settings.change",
      "staff.see",
      "staff.manage",
      "restore.sign",
      "wall.admit",
    ],
    limits: {},
  },
} as const satisfies Record<string, RoleSpec>;
export type RoleName = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[];

/** Roles that one person never has together: who moves money does not audit it or give out rights. */
export const SEPARATE_ROLES: readonly (readonly [RoleName, RoleName])[] = [
  ["auditor", "attendant"],
  ["auditor", "cashier"],
  ["auditor", "supervisor"],
  ["auditor", "technician"],
  ["administrator", "attendant"],
  ["administrator", "cashier"],
  ["administrator", "supervisor"],
  ["administrator", "auditor"],
];

/** What needs a second person, and the permission that the second person has. */
export const APPROVAL_KINDS = {
  "wallet.deposit": "wallet.move",
  "wallet.withdrawal": "wallet.move",
  "handPay.pay": "handPay.pay",
  "handPay.void": "handPay.void",
  "discrepancy.explain": "discrepancy.sign",
  "transfer.memoryGone": "transfer.memoryGone",
  "exclusion.lift": "limit.looser",
  "bonus.grant": "bonus.grant",
  "campaign.start": "promotion.run",
  "machine.configure": "machine.configure",
  "stop.release": "stop.release",
  "staff.change": "staff.manage",
  "settings.change": "settings.change",
  restore: "restore.sign",
} as const satisfies Record<string, Permission>;
export type ApprovalKind = keyof typeof APPROVAL_KINDS;
