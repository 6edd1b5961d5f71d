import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { Link, useNavigate } from "@tanstack/react-router";
import type { FilterQuery } from "../../features/lobby/filters.ts";
import { SEARCH_MAX } from "../../features/lobby/filters.ts";
import { paths } from "../../shared/paths/paths.ts";
import css from "./not-found.module.css";

/** Where every unknown address leads, guests and players alike (specification 2.1). */
export function NotFoundRoute() {
  const { t } = useText();
  const title = t("pages.notFoundTitle");
  usePageTitle(`404 ${title}`);
  return (
    <Notice
      whole
      // One heading: a screen reader says the number with the sentence.
      title={
        <>
          <span className={css["code"]}>404</span> {title}
        </>
      }
      body={t("pages.notFoundBody")}
    >
      <MachineSearch />
      <Link to={paths.lobby} className={keyClass({ kind: "brass" })}>
        {t("app.toLobby")}
      </Link>
    </Notice>
  );
}

/** Leads to the lobby with what was typed as its search; a guest comes there by the login. */
function MachineSearch() {
  const { t } = useText();
  const navigate = useNavigate();
  function send(form: FormData): void {
    const text = String(form.get("search") ?? "").trim();
    const search: FilterQuery = text === "" ? {} : { search: text };
    void navigate({ to: paths.lobby, search });
  }
  return (
    <search>
      <form
        className={css["search"]}
        onSubmit={(event) => {
          event.preventDefault();
          send(new FormData(event.currentTarget));
        }}
      >
        <Field
          label={t("lobby.search")}
          bareLabel
          type="search"
          name="search"
          enterKeyHint="search"
          autoComplete="off"
          placeholder={t("lobby.search")}
          maxLength={SEARCH_MAX}
          before={<Icon name="search" />}
        />
        <Key type="submit">{t("pages.notFoundSearch")}</Key>
      </form>
    </search>
  );
}
