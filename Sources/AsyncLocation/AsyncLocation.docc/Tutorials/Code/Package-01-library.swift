// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tested-service",
  dependencies: [.package(path: "../async-location")],
  targets: [
    .target(
      name: "TripService",
      dependencies: [.product(name: "AsyncLocation", package: "async-location")])
  ]
)
