import { type Driver, SelectQueryNode, SqliteDialect, type SqliteDialectConfig } from "kysely";
import { Turns } from "../../util/turns.ts";

/** By the paths of databases. */
const turns = new Turns();

/** For what is written past the dialect. */
export function inTurn<T>(path: string, write: () => T): Promise<T> {
  return turns.during(path, async () => write());
}

/**
 * Those in this process who have one database open take turns to write. SQLite waits for a transaction by standing still, and for
 * one of this very process that would be in vain: nobody could end it meanwhile.
 */
export class TurnTakingDialect extends SqliteDialect {
  readonly #path: string;

  constructor(path: string, config: SqliteDialectConfig) {
    super(config);
    this.#path = path;
  }

  override createDriver(): Driver {
    return takingTurns(super.createDriver(), this.#path);
  }
}

function takingTurns(driver: Driver, path: string): Driver {
  /** Of the transaction that runs: whoever has the database open has one at a time. */
  let end: (() => void) | undefined;
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options);
      return {
        executeQuery: (query, more) =>
          end || SelectQueryNode.is(query.query)
            ? connection.executeQuery(query, more)
            : turns.during(path, () => connection.executeQuery(query, more)),
        streamQuery: (...query) => connection.streamQuery(...query),
      };
    },
    async beginTransaction(connection, settings) {
      end = await turns.take(path);
      await driver.beginTransaction(connection, settings);
    },
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    async releaseConnection(connection, options) {
      end?.();
      end = undefined;
      await driver.releaseConnection(connection, options);
    },
    destroy: (options) => driver.destroy(options),
  };
}
