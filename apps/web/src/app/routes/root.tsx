import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { focusHeadings } from "../frame/focus-heading.ts";

export function Root() {
  const router = useRouter();
  useEffect(() => focusHeadings(router), [router]);
  return <Outlet />;
}
