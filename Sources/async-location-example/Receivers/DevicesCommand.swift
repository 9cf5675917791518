import AsyncLocation

extension Command {
  static let devices = Command(
    name: "devices",
    summary: "Lists the receivers that gpsd has.",
    options: [.receiving],
    meanings: [.port: Option.portOfGPSD],
    notes: """
      In text: path, driver, model, whether gpsd has it open, and the rate of its reports.
      gpsd opens some only when they are watched. Waits for 5 seconds, or --timeout.
      """,
    run: { tool, arguments in
      try await DevicesCommand(arguments: arguments, context: tool.context)
        .run { try await tool.receivers(arguments) }
    })
}

/// The `devices` command: lists the receivers of gpsd.
struct DevicesCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  func run(_ receivers: () async throws -> [Receiver]) async throws -> ExitCode {
    let receivers = try await receivers()
    if receivers.isEmpty {
      await context.printMessage("gpsd has no receiver; plug one in, or add one with gpsdctl")
    }
    switch context.presentation.shape {
    case .json:
      for receiver in receivers {
        try await context.output.write(JSONLine.line(receiver) + "\n")
      }
    case .table, .lines:
      for line in ReceiverTable.lines(receivers) {
        try await context.output.write(line + "\n")
      }
    }
    return .done
  }
}
