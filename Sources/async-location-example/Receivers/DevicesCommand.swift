import AsyncLocation

/// The `devices` command: lists the receivers of gpsd.
struct DevicesCommand: Sendable {
  let arguments: Arguments
  let surroundings: Surroundings

  func run(_ receivers: () async throws -> [Receiver]) async throws -> ExitCode {
    let receivers = try await receivers()
    if receivers.isEmpty {
      await surroundings.say("gpsd has no receiver; plug one in, or name one to gpsd with gpsdctl")
    }
    switch surroundings.presentation.shape {
    case .json:
      for receiver in receivers {
        try await surroundings.output.write(JSONLine.line(receiver) + "\n")
      }
    case .table, .lines:
      for line in ReceiverTable.lines(receivers) {
        try await surroundings.output.write(line + "\n")
      }
    }
    return .done
  }
}
