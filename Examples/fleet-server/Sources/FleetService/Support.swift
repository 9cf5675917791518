import AsyncLocation
import Dispatch
import Foundation
import MQTTBackend

/// Runs a blocking call outside of Swift's cooperative thread pool. A cancelled task does not wait
/// for the call.
func runBlocking<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws
  -> Value
{
  try Task.checkCancellation()
  let (values, caller) = AsyncThrowingStream.makeStream(of: Value.self)
  DispatchQueue.global().async { caller.yield(with: Result { try call() }) }
  for try await value in values { return value }
  throw CancellationError()
}

/// Writes a message for the operator. May block.
public func log(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

func json(_ value: some Encodable) -> Data {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  // No value of the service contains a number that JSON cannot represent.
  return (try? encoder.encode(value)) ?? Data()
}

struct DeviceBody: Encodable {
  let id: FleetDevice.ID
  let presence: FleetDevice.Presence
  let location: Location?
}

/// The state of the service. A problem that does not exist is absent from the JSON.
struct HealthBody: Encodable {
  let isConnected: Bool
  let connectionProblem, storageProblem, storageLoss, areasProblem: String?
  let areas, devices: Int
  let messages, locations, unstored: UInt64
}

/// A crossing. A repeated crossing may have been printed by an earlier process.
struct EventBody: Encodable {
  let number: UInt64
  let isRepeated: Bool
  let device: FleetDevice.ID
  let area, previousState, state: String
  let location: Location

  init(_ event: FleetEvent) {
    (number, isRepeated, device) = (event.number, event.isRepeated, event.device)
    (area, location) = (event.identifier, event.location)
    (previousState, state) = (event.previousState.description, event.state.description)
  }
}
