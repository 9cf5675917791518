// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "program-run",
  products: [.library(name: "ProgramRun", targets: ["ProgramRun"])],
  targets: [.target(name: "ProgramRun")]
)
