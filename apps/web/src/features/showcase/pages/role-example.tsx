import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { Link } from "@tanstack/react-router";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { CodeSample } from "../gallery/samples.tsx";
import { SimpleLayout } from "../page-layouts/page-layout.tsx";
import css from "./role-example.module.css";

type Example = {
  readonly title: string;
  readonly auth: string;
  /** Whether it may be left by signing out: guests have nothing to sign out of. */
  readonly leaves: boolean;
  readonly heading: TextKey;
  readonly about: TextKey;
};

/** Role lists as they are written in code. */
const EXAMPLES = {
  admin: {
    ...{ title: "Admin", auth: '["admin"]', leaves: true },
    heading: "templateAuth.adminHeading",
    about: "templateAuth.adminAbout",
  },
  staff: {
    ...{ title: "Staff", auth: '["admin", "staff"]', leaves: true },
    heading: "templateAuth.staffHeading",
    about: "templateAuth.staffAbout",
  },
  guest: {
    ...{ title: "Guest", auth: "[]", leaves: false },
    heading: "templateAuth.guestHeading",
    about: "templateAuth.guestAbout",
  },
} as const satisfies Record<string, Example>;

/** The pages that only a role may open, and how that is written. */
export const ROLE_EXAMPLES = {
  admin: () => <RoleExample {...EXAMPLES.admin} path="/auth/admin-role-example" />,
  staff: () => <RoleExample {...EXAMPLES.staff} path="/auth/staff-role-example" />,
  guest: () => <RoleExample {...EXAMPLES.guest} path="/auth/guest-role-example" />,
};

function RoleExample({ path, title, auth, heading, about, leaves }: Example & { readonly path: string }) {
  const { t } = useText();
  const route = `{\n  path: "${path}",\n  title: "${title}",\n  auth: ${auth},\n  load: async () => (await import("./example.tsx")).Example,\n}`;
  const item = `{\n  id: "${title.toLowerCase()}",\n  type: "item",\n  title: "${title}",\n  url: "${path}",\n  auth: ${auth},\n}`;
  return (
    <SimpleLayout header={<h1>{t(heading)}</h1>}>
      <div className={css["example"]}>
        <p>{t(about)}</p>
        {leaves && (
          <Link to={paths.logout} className={keyClass({ kind: "line" })}>
            {t("templateAuth.logOut")}
          </Link>
        )}
        <h2>{t("templateAuth.routeSample")}</h2>
        <CodeSample code={route} name={t("templateAuth.routeSample")} />
        <h2>{t("templateAuth.navigationSample")}</h2>
        <CodeSample code={item} name={t("templateAuth.navigationSample")} />
      </div>
    </SimpleLayout>
  );
}
