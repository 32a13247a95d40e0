import 'reflect-metadata';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Module,
  Post,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { openPrisma } from './prisma.js';
import { settings } from './settings.js';

const prisma = await openPrisma(settings.databaseUrl);

class NewPlant {
  @IsInt()
  id!: number;

  @IsString()
  name!: string;

  @IsOptional()
  @IsString()
  tag?: string;
}

class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    if (request.headers['authorization'] !== `Bearer ${settings.token}`) throw new UnauthorizedException();
    return true;
  }
}

@Controller('plants')
@UseGuards(TokenGuard)
class PlantsController {
  @Post()
  @HttpCode(200)
  async create(@Body() { id, name, tag }: NewPlant) {
    await prisma.plant.create({ data: { id, name, tag: tag ?? null } });
    return { name, tag };
  }
}

@Module({ controllers: [PlantsController] })
class AppModule {}

/** NestJS on its Fastify adapter, as its documentation shows it: a controller, a guard, the validation pipe; no request log. */
const adapter = new FastifyAdapter();
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: false });
app.useGlobalPipes(new ValidationPipe());
await app.listen(settings.port, settings.host);
