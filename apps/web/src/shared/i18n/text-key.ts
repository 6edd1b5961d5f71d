import type account from "./catalogues/tr/account.json";
import type app from "./catalogues/tr/app.json";
import type auth from "./catalogues/tr/auth.json";
import type bars from "./catalogues/tr/bars.json";
import type breaks from "./catalogues/tr/breaks.json";
import type claims from "./catalogues/tr/claims.json";
import type clips from "./catalogues/tr/clips.json";
import type code from "./catalogues/tr/code.json";
import type connection from "./catalogues/tr/connection.json";
import type demo from "./catalogues/tr/demo.json";
import type device from "./catalogues/tr/device.json";
import type disputes from "./catalogues/tr/disputes.json";
import type gallery from "./catalogues/tr/gallery.json";
import type gates from "./catalogues/tr/gates.json";
import type guide from "./catalogues/tr/guide.json";
import type help from "./catalogues/tr/help.json";
import type history from "./catalogues/tr/history.json";
import type iconTags from "./catalogues/tr/iconTags.json";
import type identity from "./catalogues/tr/identity.json";
import type keys from "./catalogues/tr/keys.json";
import type letters from "./catalogues/tr/letters.json";
import type lobby from "./catalogues/tr/lobby.json";
import type lock from "./catalogues/tr/lock.json";
import type logType from "./catalogues/tr/logType.json";
import type mail from "./catalogues/tr/mail.json";
import type pages from "./catalogues/tr/pages.json";
import type payments from "./catalogues/tr/payments.json";
import type play from "./catalogues/tr/play.json";
import type profile from "./catalogues/tr/profile.json";
import type queue from "./catalogues/tr/queue.json";
import type quickPanel from "./catalogues/tr/quickPanel.json";
import type reconnect from "./catalogues/tr/reconnect.json";
import type record from "./catalogues/tr/record.json";
import type saferPlay from "./catalogues/tr/saferPlay.json";
import type shell from "./catalogues/tr/shell.json";
import type teamChat from "./catalogues/tr/teamChat.json";
import type templateAuth from "./catalogues/tr/templateAuth.json";
import type templateSample from "./catalogues/tr/templateSample.json";
import type terms from "./catalogues/tr/terms.json";
import type theme from "./catalogues/tr/theme.json";
import type wallet from "./catalogues/tr/wallet.json";

type Plural = "zero" | "one" | "two" | "few" | "many" | "other";
type Whole<K> = K extends `${infer Base}_${Plural}` ? Base : K;
type Keys<A extends string, T> = `${A}.${Whole<keyof T & string>}`;

/** Every key of the catalogues, as `area.key`. Plural forms share one key and are picked by `count`. */
export type TextKey =
  | Keys<"account", typeof account>
  | Keys<"app", typeof app>
  | Keys<"auth", typeof auth>
  | Keys<"bars", typeof bars>
  | Keys<"breaks", typeof breaks>
  | Keys<"claims", typeof claims>
  | Keys<"clips", typeof clips>
  | Keys<"code", typeof code>
  | Keys<"connection", typeof connection>
  | Keys<"demo", typeof demo>
  | Keys<"device", typeof device>
  | Keys<"disputes", typeof disputes>
  | Keys<"gallery", typeof gallery>
  | Keys<"gates", typeof gates>
  | Keys<"guide", typeof guide>
  | Keys<"help", typeof help>
  | Keys<"history", typeof history>
  | Keys<"iconTags", typeof iconTags>
  | Keys<"identity", typeof identity>
  | Keys<"keys", typeof keys>
  | Keys<"letters", typeof letters>
  | Keys<"lobby", typeof lobby>
  | Keys<"lock", typeof lock>
  | Keys<"logType", typeof logType>
  | Keys<"mail", typeof mail>
  | Keys<"pages", typeof pages>
  | Keys<"payments", typeof payments>
  | Keys<"play", typeof play>
  | Keys<"profile", typeof profile>
  | Keys<"queue", typeof queue>
  | Keys<"quickPanel", typeof quickPanel>
  | Keys<"reconnect", typeof reconnect>
  | Keys<"record", typeof record>
  | Keys<"saferPlay", typeof saferPlay>
  | Keys<"shell", typeof shell>
  | Keys<"templateAuth", typeof templateAuth>
  | Keys<"templateSample", typeof templateSample>
  | Keys<"teamChat", typeof teamChat>
  | Keys<"terms", typeof terms>
  | Keys<"theme", typeof theme>
  | Keys<"wallet", typeof wallet>;

declare module "@longarm/ui/i18n/texts.ts" {
  interface Catalogues {
    readonly keys: TextKey;
  }
}
