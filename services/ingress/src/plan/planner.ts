import type { Logger } from '@tollgate/common/logging';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { PathParameters, Protocol } from '@tollgate/protocols/interface/protocol';
import type { PlannedCall } from '../exchange/exchanges.ts';
import type { RouteTable } from '../shared/catalogue/route-table.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { type EmbeddingsEndpoint, planEmbeddings } from './embeddings.ts';
import { type CheckedRequest, checkRequest } from './generate/check-request.ts';
import { type PlannedCount, planCount } from './generate/count-tokens.ts';
import { type GenerationEndpoint, planGeneration } from './generate/plan-generation.ts';
import { type ParseRequest, type ReadRequest, readRequest } from './generate/read-request.ts';
import type { ItemStore } from './items/item-store.ts';

export interface PlannerOptions {
  /** The latest route table; undefined until there is one. */
  routes: { readonly table: RouteTable | undefined };
  /** Undefined without a store. */
  items: ItemStore | undefined;
  logger: Logger;
}

/** Reads requests, and plans the calls that they ask for: their model, what they may cost, and what is sent where. */
export class Planner {
  readonly #options: PlannerOptions;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /** The models, prices and deployments in force; throws 503 until the router was reached once. */
  get table(): RouteTable {
    const { table } = this.#options.routes;
    if (table === undefined) throw apiErrors.unavailable('The model catalogue');
    return table;
  }

  /** Plans a call that generates. Throws an ApiError that names the field at fault. */
  async generation(
    endpoint: GenerationEndpoint,
    req: TollgateRequest,
    res: TollgateResponse,
    path: PathParameters,
  ): Promise<PlannedCall> {
    const { protocol } = endpoint;
    const read = await this.#read(protocol.name, protocol.parseRequest.bind(protocol), req, res, path);
    return planGeneration(this.#options, endpoint, read, this.table, req, res);
  }

  /** Plans a call that creates embeddings. Throws an ApiError that names the field at fault. */
  embeddings(endpoint: EmbeddingsEndpoint, req: TollgateRequest, res: TollgateResponse): Promise<PlannedCall> {
    return planEmbeddings(endpoint, () => this.table, req, res);
  }

  /** Plans the count of a prompt's tokens. Throws an ApiError that names the field at fault. */
  async count(
    protocol: Protocol,
    count: NonNullable<Protocol['count']>,
    req: TollgateRequest,
    res: TollgateResponse,
    path: PathParameters,
  ): Promise<PlannedCount> {
    const read = await this.#read(protocol.name, count.parseRequest.bind(count), req, res, path);
    return planCount(protocol, read, this.table, req.headers, res.locals.context, this.#options.logger);
  }

  /** Checks a request that generates, without a call. Throws an ApiError that names the field at fault. */
  async check(
    protocol: Protocol,
    req: TollgateRequest,
    res: TollgateResponse,
    path: PathParameters,
  ): Promise<ReadRequest & CheckedRequest> {
    const { name } = protocol;
    const read = await this.#read(name, protocol.parseRequest.bind(protocol), req, res, path);
    return { ...read, ...checkRequest(read.request, name, this.table, res.locals.context) };
  }

  /** Reads a request, with the stored items that it refers to. Throws an ApiError that names the field at fault. */
  #read(
    protocol: ProtocolName,
    parse: ParseRequest,
    req: TollgateRequest,
    res: TollgateResponse,
    path: PathParameters,
  ): Promise<ReadRequest> {
    return readRequest(this.#options, req, res, protocol, parse, path);
  }
}
