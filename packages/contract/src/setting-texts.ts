import type { settingFields } from "./settings.ts";

/** What every key of Settings.json does, in one sentence. Amounts are whole currency units, times ms unless said. */
export const settingTexts: Readonly<Record<keyof typeof settingFields, string>> = {
  siteId: "Sent with every login.",
  currency: "ISO 4217 code of all amounts.",
  language: "Language before the player chose one.",
  languageOfBrowser:
    "Starts the first visit in the browser's language when Longarm has it; otherwise `language` holds.",
  apiUrl: "Base of the API; a slash is added when it lacks one.",
  sessionsPath: "Where the slot sessions come from, below the API base, or a whole address.",
  transactionsPath: "Where the transactions come from, below the API base, or a whole address.",
  templateApiUrl:
    "Base of the calls of accounts, Team Chat and quick panel (/api/…); a slash is added when it lacks one.",
  passwordPath: "Where a new password is sent, below the API base, or a whole address.",
  notificationUrl: "Notification socket; empty: /notifications on the API's origin.",
  gameUrl: "Game socket; empty: the machine's own url, else /game on the API's origin.",
  socketTokenInAddress:
    "Whether the token is in the addresses of the sockets, as the specification says. With false it is in a header of the handshake, which is in no address and no log of addresses; each platform that the sockets lead to must read it there, as Longarm does.",
  iceServers: "STUN or TURN servers; those of the game socket win.",
  hotFlagLimit: "A jackpot above it is hot.",
  maxAllIn: "The most that all-in transfers.",
  discountMinBalance: "A discount needs a balance below it.",
  discountBalanceCheck: "Whether discountMinBalance is looked at.",
  updateLobby: "Seconds between lobby refreshes; 0: never.",
  framesPerSecond: "Wanted video rate.",
  volume: "Volume at first, 0 to 1.",
  hotCoins: "Quick amounts of the money sheet.",
  throttleMs: "Least time between two uses of a money, claim or tool button.",
  claimThrottleMs: "Least time between two discounts, or two bonuses, of one browser.",
  idleLockMs: "Idle time before the screen locks (with pinCheck).",
  deactivatedMs: "Idle time before the page asks whether to continue.",
  autoDiscount: "Shows the discount button.",
  autoBonus: "Shows the bonus button.",
  allowZeroBalance: "Whether a machine may be opened with an empty wallet.",
  pinCheck: "Locks the screen when idle, opened by the PIN.",
  defaultPin: "PIN hash for players without one, and the hint shown; none ships.",
  ipCheck: "Asks /check before anything else.",
  showWebcam: "Shows the room camera where the machine has one.",
  showRotateScreenMenu: "Offers to turn the picture of a machine that does not say so itself.",
  showLobby: "Shows brands; off: all machines in one list.",
  showSplash: "Shows the splash while the token is checked.",
  showContactOnLogin: "Shows the contacts on the login screen.",
  loginWithToken: "Only a token in the address signs in; the form is not shown.",
  helpList:
    "Organisations that help players, the most important one first: name, what they do, phone, web address. Markets may want one before anybody plays.",
  independentBodies:
    "Independent bodies to which a player who is not content with the answer to a question about a game may turn: name, postal address, web address; market: the id of the market whose players read it, absent: everybody; empty: none is named.",
  contacts:
    "WhatsApp contacts: title (one text, or one for each language) and phone; without a digit in its phone a contact is a note that leads nowhere.",
  loginNotice: "Licence line under the log-in card: one text, or one for each language; empty: none.",
  careLetter:
    "What a letter to a player who may need care begins with, as staff finds it: one text, or one for each language; empty: a text of Longarm.",
  minimumAge: "Age mark under the log-in card; 0: none.",
  externalInfo: "Offers the six info pages.",
  header: "Shows the header.",
  languageSelect: "Shows the language select in the header.",
  infoText: "Text of the header's info dialog; empty: none.",
  footerInfo: "Text of the footer's information bar; empty: none.",
  showVersion: "Shows the version label.",
  chat: "Live-chat widget; fallbackScript is loaded after 5 s when no widget came up.",
  machineStatus: "Machine status numbers of the platform.",
  reconnectStatus: "Other names for the reconnect dialog's variants.",
  layout:
    "The shell before the player chose one: layout3 is the casino's, layout1 has its navigation beside the page, layout2 above it.",
  theme: "Palettes of main, navbar, toolbar and footer before the player chose others; an unknown one is night.",
  showTemplatePages: "Keeps the template's pages; off: their paths are not found and nothing leads there.",
  showTemplateKeys:
    "Shows what leads to the template: theme and colour keys, quick panel, template links in navigation, search and footer; off: its pages open by their address only.",
};
