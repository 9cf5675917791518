import AsyncLocation
import LocationPublishing

/// A storage in memory that calls a test's closures before or after its operations.
struct HookedStorage: PublicationStorage {
  var identity: String? { base.identity }

  let base = MemoryPublicationStorage()
  var beforeOpening: @Sendable () async throws(LocationError) -> Void = {}
  var beforeAppend: @Sendable () async throws(LocationError) -> Void = {}
  /// Called before `removeAll(then:)`, but not before `remove(_:)`. The same holds for
  /// ``afterRemoval``.
  var beforeRemoval: @Sendable () async throws(LocationError) -> Void = {}
  var afterRemoval: @Sendable () async throws(LocationError) -> Void = {}
  /// Called with the base storage's session before publications are read.
  var beforeReading: @Sendable (any PublicationSession) async throws(LocationError) -> Void = {
    _ in
  }

  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    try await beforeOpening()
    let (session, stored) = try await base.open(limits)
    return (Session(base: session, storage: self), stored)
  }

  private struct Session: PublicationSession {
    let base: any PublicationSession
    let storage: HookedStorage

    func append(
      _ publications: [PendingPublication], accuracy: AccuracyAuthorization
    ) async throws(LocationError) -> PublicationChange {
      try await storage.beforeAppend()
      return try await base.append(publications, accuracy: accuracy)
    }

    func publications(
      after number: UInt64, count: Int, bytes: Int
    ) async throws(LocationError) -> [StoredPublication] {
      try await storage.beforeReading(base)
      return try await base.publications(after: number, count: count, bytes: bytes)
    }

    func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
      try await base.remove(numbers)
    }

    func removeAll(
      then publications: [PendingPublication]
    ) async throws(LocationError) -> PublicationChange {
      try await storage.beforeRemoval()
      let change = try await base.removeAll(then: publications)
      try await storage.afterRemoval()
      return change
    }

    func close() async { await base.close() }
  }
}
