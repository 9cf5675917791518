import AsyncLocation
import Foundation
import MQTTBackend
import Synchronization

/// An in-memory storage whose commits fail while a test requests it.
final class FailingStorage: FleetStorage {
  private let storage = MemoryFleetStorage()
  private let fails = Mutex(false)

  func setFails(_ fails: Bool) { self.fails.withLock { $0 = fails } }

  func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    let (session, stored) = try await storage.open()
    return (Session(storage: self, session: session), stored)
  }

  private struct Session: FleetSession {
    let storage: FailingStorage
    let session: any FleetSession

    func commit(_ changes: [FleetStorageChange]) async throws(LocationError) {
      guard !storage.fails.withLock(\.self) else {
        throw LocationError(.storageUnavailable, "The test's disk is full.")
      }
      try await session.commit(changes)
    }

    func recover() async throws(LocationError) -> LocationError? { try await session.recover() }
    func close() async { await session.close() }

    func locations(
      of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
    ) async throws(LocationError) -> [Location] {
      try await session.locations(of: device, from: start, to: end, count: count)
    }

    func location(
      of device: FleetDevice.ID, at instant: Date
    ) async throws(LocationError) -> Location? {
      try await session.location(of: device, at: instant)
    }

    func visits(
      to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
    ) async throws(LocationError) -> [FleetVisit] {
      try await session.visits(to: area, from: start, to: end, after: device, count: count)
    }
  }
}
