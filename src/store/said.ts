import type { Store } from "./store.ts";

/** What people said in the newest chats of a project, oldest first. */
export async function saidInChats(store: Store, most: number): Promise<string[]> {
  const rows = await store.db
    .selectFrom("events")
    .select((is) => is.fn<string>("json_extract", ["data", is.val("$.text")]).as("text"))
    .where("type", "=", "message:sent")
    .where((is) => is(is.fn("json_extract", ["data", is.val("$.kind")]), "in", ["request", "said"]))
    .where("job", "in", (chats) =>
      chats.selectFrom("events").select("job").distinct().where("type", "=", "person:awaited"),
    )
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(most)
    .execute();
  return rows.map(({ text }) => text).reverse();
}
